#include "trace/timing/detail/codebook.hpp"

#include <algorithm>
#include <bit>

namespace weir::trace::detail {

namespace {

constexpr unsigned kFinestOctave = 12;
// An entry costs about two bytes; one for fewer records does not pay.
constexpr std::uint64_t kFewest = 6;

struct Cell {
  std::size_t number;
  std::uint64_t begin;
  std::uint64_t last;
  std::uint64_t count;
};

struct Window {
  std::size_t first = 0;
  std::size_t end = 0;
  std::uint64_t count = 0;
};

// The run of cells with most records that one value can stand for.
Window fullest(const std::vector<Cell>& cells, const std::vector<std::size_t>& reach) {
  Window best;
  std::uint64_t count = 0;
  std::size_t end = 0;
  for (std::size_t first = 0; first < cells.size(); ++first) {
    end = std::max(end, first);
    for (; end < reach[first]; ++end) count += cells[end].count;
    if (count > best.count) best = {.first = first, .end = end, .count = count};
    if (end > first) count -= cells[first].count;
  }
  return best;
}

}  // namespace

std::size_t Codebook::cell_of(std::uint64_t duration) const {
  if (duration >> octave_bits_ == 0) return duration;
  const unsigned shift = static_cast<unsigned>(std::bit_width(duration)) - octave_bits_ - 1;
  return (std::size_t{shift + 1} << octave_bits_) +
         ((duration >> shift) & ((std::uint64_t{1} << octave_bits_) - 1));
}

std::uint64_t Codebook::cell_begin(std::size_t cell) const {
  const std::size_t octave = cell >> octave_bits_;
  const std::uint64_t low = cell & ((std::uint64_t{1} << octave_bits_) - 1);
  if (octave == 0) return low;
  return (low | (std::uint64_t{1} << octave_bits_)) << (octave - 1);
}

Codebook Codebook::build(std::span<const std::uint64_t> durations, const ErrorBound& bound) {
  Codebook book;
  if (durations.empty()) return book;
  // Eight cells and more to a window of 2e.
  book.octave_bits_ = std::min(
      static_cast<unsigned>(std::bit_width((std::uint64_t{1} << 35) / bound.fraction())), kFinestOctave);
  std::vector<std::uint32_t> counts(book.cell_of(*std::max_element(durations.begin(), durations.end())) + 1);
  for (const std::uint64_t duration : durations) ++counts[book.cell_of(duration)];
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0)
      cells.push_back(
          {.number = i, .begin = book.cell_begin(i), .last = book.cell_begin(i + 1) - 1, .count = counts[i]});
  std::vector<std::size_t> reach(cells.size());
  for (std::size_t first = 0, end = 0; first < cells.size(); ++first) {
    const std::uint64_t last = bound.last_under(cells[first].begin + bound.tolerance(cells[first].begin));
    end = std::max(end, first);
    while (end < cells.size() && cells[end].last <= last) ++end;
    reach[first] = end;
  }
  book.rank_of_cell_.assign(counts.size(), static_cast<std::uint8_t>(kNone));
  while (book.values_.size() < kLargest) {
    const Window window = fullest(cells, reach);
    if (window.count < kFewest) break;
    // The mean, as far as it can stand for both ends.
    std::size_t low = window.first;
    std::size_t high = window.end - 1;
    while (cells[low].count == 0) ++low;
    while (cells[high].count == 0) --high;
    UnsignedWide sum = 0;
    for (std::size_t i = low; i <= high; ++i) {
      sum += UnsignedWide{cells[i].begin + (cells[i].last - cells[i].begin) / 2} * cells[i].count;
      if (cells[i].count > 0)
        book.rank_of_cell_[cells[i].number] = static_cast<std::uint8_t>(book.values_.size());
      cells[i].count = 0;
    }
    const std::uint64_t least = cells[high].last - bound.tolerance(cells[high].last);
    const std::uint64_t most = cells[low].begin + bound.tolerance(cells[low].begin);
    book.values_.push_back(
        clamp_duration(std::clamp(static_cast<std::uint64_t>(sum / window.count), least, most)));
  }
  return book;
}

Result<Codebook> Codebook::parse(ByteReader& in) {
  Codebook book;
  const auto count = in.count(1);
  if (!count) return count.error();
  if (*count > kLargest) return Error{Errc::bad_data, "a codebook of more than 255 durations"};
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto value = in.varint();
    if (!value) return value.error();
    book.values_.push_back(clamp_duration(*value));
  }
  return book;
}

void Codebook::write(ByteWriter& out) const {
  out.varint(values_.size());
  for (const std::uint64_t value : values_) out.varint(value);
}

}  // namespace weir::trace::detail
