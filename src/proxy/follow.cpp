#include "proxy/follow.hpp"

#include <algorithm>
#include <charconv>

#include "trace/own_signatures.hpp"

namespace weir::proxy {
namespace {

using trace::Encoding;

std::int64_t plus(std::int64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + b);
}

bool take_number(std::string_view& rest, int width, std::int64_t& number) {
  std::size_t digits = 0;
  while (digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9') ++digits;
  if (width > 0) digits = std::min(digits, std::max<std::size_t>(digits, static_cast<std::size_t>(width)));
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(rest.data(), rest.data() + digits, value);
  if (failed != std::errc{} || digits == 0) return false;
  number = static_cast<std::int64_t>(value);
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return true;
}

}  // namespace

bool numbers_of(std::string_view name_template, std::string_view name, std::int64_t process_id,
                std::array<std::int64_t, trace::NameTemplate::kNumbers>& numbers) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < name_template.size(); ++i) {
    const char c = name_template[i];
    if (c == 1 && i + 1 < name_template.size()) {
      if (count == numbers.size() || !take_number(name, name_template[++i] - '0', numbers[count++]))
        return false;
    } else if (c == 2) {
      const std::string id = std::to_string(process_id);
      if (!name.starts_with(id)) return false;
      name.remove_prefix(id.size());
    } else {
      if (c == 3 && i + 1 < name_template.size()) ++i;
      if (name.empty() || name.front() != name_template[i]) return false;
      name.remove_prefix(1);
    }
  }
  return name.empty();
}

Follower::Follower(Plan& plan, StreamPlan& stream, std::size_t process)
    : plan_(&plan),
      stream_(&stream),
      signatures_(plan.trace->signatures_of(process)),
      process_id_(plan.trace->processes()[process].number) {
  const trace::Tables& tables = plan.trace->tables();
  own_number_.resize(tables.signatures.size());
  for (std::size_t i = 0; i < signatures_->list.size(); ++i)
    own_number_[signatures_->list[i].number] = static_cast<std::uint32_t>(i);
  numbers_.resize(tables.templates.size());
}

std::int64_t& Follower::end_of(std::int64_t id) {
  if (id < 0 || id >= trace::Shape::kNoHandle) return no_handle_end_;
  const auto at = static_cast<std::size_t>(id);
  if (at >= ends_.size()) ends_.resize(at + 1);
  plan_->handles = std::max(plan_->handles, static_cast<std::uint32_t>(at + 1));
  return ends_[at];
}

void Follower::act(Action action) {
  action.before = stream_->calls;
  stream_->actions.push_back(std::move(action));
}

void Follower::correct_end(std::int64_t id, std::int64_t distance, std::int64_t seen) {
  std::int64_t& end = end_of(id);
  const std::int64_t needed = plus(seen, 0 - static_cast<std::uint64_t>(distance));
  if (end == needed) return;
  end = needed;
  act({.kind = "set_end", .id = id, .value = needed});
}

void Follower::follow_names(const trace::Record& record, const trace::OwnSignature& own, bool outer) {
  const trace::Signature& signature = *own.signature;
  const trace::Tables& tables = plan_->trace->tables();
  struct Kept {
    std::size_t name_template;
    Numbers now;
  };
  std::vector<Kept> kept;
  for (std::size_t i = 0; i + 1 < signature.parts.size(); ++i) {
    const trace::Signature::Part& part = signature.parts[i];
    if (part.numbers == 0) continue;
    const std::size_t name_template = own.words[part.word];
    Numbers now{};
    if (!numbers_of(tables.templates[name_template], record.arguments[i].text, process_id_, now)) continue;
    if (part.encoding == Encoding::path) {
      for (std::uint32_t k = 0; k < part.numbers; ++k) {
        const std::int64_t before = plus(now[k], 0 - own.words[part.word + 1 + k]);
        if (numbers_[name_template][k] == before) continue;
        numbers_[name_template][k] = before;
        if (outer)
          act({.kind = "set_number",
               .id = static_cast<std::int64_t>(name_template),
               .part = k,
               .value = before});
      }
    } else if (outer) {
      // Columns stand in the order of the arguments.
      std::uint32_t slot = plan_->places[own.number].first_column;
      for (std::size_t before = 0; before < i; ++before)
        slot += signature.parts[before].encoding == Encoding::column        ? 1
                : signature.parts[before].encoding == Encoding::path_column ? signature.parts[before].numbers
                                                                            : 0;
      for (std::uint32_t k = 0; k < part.numbers; ++k) stream_->columns[slot + k].push_back(now[k]);
    }
    kept.push_back({name_template, now});
  }
  for (const Kept& one : kept) numbers_[one.name_template] = one.now;
}

void Follower::take_columns(const trace::Record& record, const trace::Signature& signature) {
  std::uint32_t slot = plan_->places[record.signature].first_column;
  for (std::size_t i = 0; i < signature.parts.size(); ++i) {
    const trace::Signature::Part& part = signature.parts[i];
    if (part.encoding == Encoding::path_column) slot += part.numbers;
    if (part.encoding != Encoding::column) continue;
    const bool is_result = i + 1 == signature.parts.size();
    stream_->columns[slot++].push_back(is_result ? record.result.number : record.arguments[i].number);
  }
}

void Follower::follow(const trace::Record& record) {
  const trace::OwnSignature& own = signatures_->list[own_number_[record.signature]];
  if (record.depth > 0) {
    follow_names(record, own, false);
    return;
  }
  follow_outer(record, own);
}

void Follower::follow_outer(const trace::Record& record, const trace::OwnSignature& own) {
  const trace::Signature& signature = *own.signature;
  const trace::Function& function = *record.function;
  const std::size_t count = function.arguments.size();
  std::array<std::int64_t, trace::Head::kArguments> raw{};
  for (std::size_t i = 0; i < count; ++i) {
    const trace::Value& value = record.arguments[i];
    const Encoding encoding = signature.parts[i].encoding;
    raw[i] = trace::value_of_nothing(function.arguments[i]);
    if (encoding == Encoding::handle)
      raw[i] = static_cast<std::int64_t>(own.words[signature.parts[i].word]);
    else if (value.kind == trace::Value::Kind::number && !trace::is_handle(function.arguments[i]))
      raw[i] = value.number;
    if (encoding == Encoding::distance)
      correct_end(raw[static_cast<std::size_t>(function.shape.handle_of[i])],
                  static_cast<std::int64_t>(own.words[signature.parts[i].word]), value.number);
  }
  const trace::Signature::Part& end = signature.parts[count];
  if (end.encoding == Encoding::distance)
    correct_end(raw[static_cast<std::size_t>(function.shape.handle)],
                static_cast<std::int64_t>(own.words[end.word]), record.result.number);
  follow_names(record, own, true);
  take_columns(record, signature);
  for (std::size_t i = 0; i <= count; ++i) {
    const trace::Signature::Part& part = signature.parts[i];
    if (part.encoding != Encoding::opened && part.encoding != Encoding::opened_pair) continue;
    end_of(static_cast<std::int64_t>(own.words[part.word])) = 0;
    if (part.encoding == Encoding::opened_pair)
      end_of(static_cast<std::int64_t>(own.words[part.word + 1])) = 0;
  }
  if (end.encoding != Encoding::failed && end.encoding != Encoding::unfinished)
    trace::advance(function.shape, raw.data(), record.result.number,
                   [&](std::int64_t id) -> std::int64_t& { return end_of(id); });
  if (function.moves == 1 && function.shape.bytes != trace::Shape::kNone)
    plan_->largest_write =
        std::max(plan_->largest_write, raw[static_cast<std::size_t>(function.shape.bytes)]);
  ++stream_->calls;
}

}  // namespace weir::proxy
