#include "monitor/detail/columns.hpp"

#include <limits>

#include <fmt/format.h>

#include "monitor/detail/text.hpp"

namespace weir::monitor::detail {
namespace {

constexpr std::size_t kMostColumns = 1U << 15U;

// Counters that the kernel adds up over processors without a lock, and times that are a rounded mean times a
// number, step back by a trifle now and then.
constexpr double kTrifle = 1e-6;

}  // namespace

void Columns::begin_text(bool from_zero, const std::function<bool(std::string_view)>* wanted) {
  from_zero_ = from_zero;
  wanted_ = wanted;
  damaged_here_ = 0;
}

bool Columns::source(std::string_view kind, std::string_view instance) {
  kind_ = kind;
  instance_ = instance;
  return wanted_ == nullptr || !*wanted_ || (*wanted_)(instance);
}

bool Columns::is_current(const Column& column, Word name) const {
  return name.is(column.name) && Word{kind_, instance_}.is(column.source);
}

Columns::Column* Columns::find(Word name, Traits traits) {
  for (std::size_t tried = 0, at = next_; tried < columns_.size(); ++tried, ++at) {
    if (at >= columns_.size()) at = 0;
    if (!is_current(columns_[at], name)) continue;
    next_ = at + 1;
    return &columns_[at];
  }
  if (columns_.size() >= kMostColumns) return nullptr;
  Column column;
  column.source.append(kind_).append(instance_);
  column.name.append(name.stem).append(name.ending);
  column.traits = traits;
  column.known = from_zero_ && reading_ > 1;
  columns_.push_back(std::move(column));
  next_ = columns_.size();
  return &columns_.back();
}

void Columns::put(Word name, double value, Traits traits) {
  Column* column = find(name, traits);
  if (column == nullptr) return;
  column->reading = reading_;
  column->value = value;
}

void Columns::add(Word name, double value, Traits traits) {
  Column* column = find(name, traits);
  if (column == nullptr) return;
  column->value = column->reading == reading_ ? column->value + value : value;
  column->reading = reading_;
}

void Columns::damaged(std::string_view line) {
  ++damaged_here_;
  if (first_damaged_.empty()) first_damaged_ = excerpt(line);
}

double Columns::difference(Column& column) {
  const double last = column.last, value = column.value, wraps_at = column.traits.wraps_at;
  if (!column.known) {
    column.known = true;
    column.last = value;
    return 0;
  }
  if (value >= last) {
    column.last = value;
    return value - last;
  }
  if (last - value <= kTrifle * last) return 0;  // and `last` stays, so that the trifle is not counted twice
  column.last = value;
  // Round the corner only if that is the shorter way; else it was reset.
  if (last < wraps_at && value + wraps_at - last < wraps_at / 2) return value + wraps_at - last;
  if (column.fell_from == 0) {
    column.fell_from = last;
    column.fell_to = value;
  }
  return 0;
}

void Columns::end_reading(std::vector<double>& changes) {
  changes.resize(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    const bool seen = column.reading == reading_;
    if (column.traits.total) {
      changes[i] = seen ? difference(column) : 0;
      column.sum += changes[i];
    } else {
      changes[i] = seen ? column.value : std::numeric_limits<double>::quiet_NaN();
      if (!seen) continue;
      column.sum += column.value;
      ++column.count;
    }
  }
  ++reading_;
  next_ = 0;
}

std::vector<Counter> Columns::counters() const {
  std::vector<Counter> counters;
  counters.reserve(columns_.size());
  for (const Column& column : columns_)
    counters.push_back({.source = column.source,
                        .name = column.name,
                        .value = column.traits.total ? column.sum
                                 : column.count == 0 ? 0
                                                     : column.sum / number(column.count),
                        .total = column.traits.total,
                        .wraps_at = column.traits.wraps_at});
  return counters;
}

std::vector<std::string> Columns::troubles() const {
  std::vector<std::string> lines;
  const std::string* told = nullptr;
  for (const Column& column : columns_) {
    if (told != nullptr && *told == column.source) continue;
    const bool gone = column.reading + 1 < reading_;
    if (column.fell_from != 0)
      lines.push_back(
          fmt::format("{}: {} fell from {} to {} (reset, or mounted anew); that slice counts nothing",
                      column.source, column.name, column.fell_from, column.fell_to));
    else if (gone)
      lines.push_back(fmt::format("{}: gone before the end", column.source));
    else
      continue;
    told = &column.source;
  }
  if (columns_.size() >= kMostColumns)
    lines.push_back(fmt::format("counters: only the first {} are kept", kMostColumns));
  return lines;
}

}  // namespace weir::monitor::detail
