#include "trace/outer_first.hpp"

namespace weir::trace {

void OuterFirst::keep() {
  if (count_ == kept_.size()) kept_.emplace_back();
  Kept& kept = kept_[count_];
  std::size_t bytes = record_.result.text.size();
  for (const Value& value : record_.arguments) bytes += value.text.size();
  kept.texts.clear();
  kept.texts.reserve(bytes);
  const auto copy = [&](Value& value) {
    const std::size_t at = kept.texts.size();
    const std::size_t length = value.text.size();
    kept.texts.append(value.text);
    value.text = {kept.texts.data() + at, length};
  };
  kept.record = record_;
  kept.arguments.assign(record_.arguments.begin(), record_.arguments.end());
  for (Value& value : kept.arguments) copy(value);
  copy(kept.record.result);
  kept.items.clear();
  for (const Value& value : kept.arguments)
    kept.items.insert(kept.items.end(), value.items.begin(), value.items.end());
  std::size_t item = 0;
  for (Value& value : kept.arguments) {
    value.items = std::span(kept.items).subspan(item, value.items.size());
    item += value.items.size();
  }
  kept.record.arguments = kept.arguments;
  kept.directory = reader_.directory();

  std::size_t begin = count_;
  while (!open_.empty() && open_.back().depth > record_.depth) {
    begin = open_.back().begin;
    open_.pop_back();
  }
  open_.push_back({record_.depth, begin});
  order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(begin), count_);
  ++count_;
}

const Record* OuterFirst::give() {
  if (given_ == count_) {
    count_ = 0;
    given_ = 0;
    order_.clear();
    open_.clear();
    complete_ = false;
    return nullptr;
  }
  // The strings moved when the list grew; short ones took their bytes with them.
  Kept& kept = kept_[order_[given_++]];
  std::size_t at = 0;
  const auto point = [&](Value& value) {
    value.text = {kept.texts.data() + at, value.text.size()};
    at += value.text.size();
  };
  for (Value& value : kept.arguments) point(value);
  point(kept.record.result);
  kept.record.arguments = kept.arguments;
  directory_ = kept.directory;
  return &kept.record;
}

const Record* OuterFirst::next() {
  for (;;) {
    if (complete_)
      if (const Record* const kept = give(); kept != nullptr) return kept;
    if (!reader_.next(record_)) {
      if (count_ == 0 || reader_.error()) return nullptr;
      complete_ = true;  // the calls they were made in did not end
      continue;
    }
    if (record_.depth == 0 && count_ == 0) {
      directory_ = reader_.directory();
      return &record_;
    }
    keep();
    complete_ = record_.depth == 0 || count_ == kMostKept;
  }
}

}  // namespace weir::trace
