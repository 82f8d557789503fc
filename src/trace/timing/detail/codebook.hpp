#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "trace/timing/detail/error_bound.hpp"

namespace weir::trace::detail {

// Durations that stand for all the others of a block within the bound, the ones that stand for most first:
// the window of durations that one value can stand for is laid where it holds the most records, then again on
// what is left. So the commonest symbol is as common as it can be, whatever the phase of a fixed grid would
// be.
class Codebook {
 public:
  static constexpr std::size_t kLargest = 255;
  static constexpr std::uint32_t kNone = 255;  // the rank of a duration that no entry stands for

  static Codebook build(std::span<const std::uint64_t> durations, const ErrorBound& bound);
  static Result<Codebook> parse(ByteReader& in);
  void write(ByteWriter& out) const;

  std::size_t size() const { return values_.size(); }
  std::uint64_t value(std::uint32_t rank) const { return values_[rank]; }
  // Of a built one: the entry within the bound of this duration, or kNone.
  std::uint32_t rank(std::uint64_t duration) const {
    const std::size_t cell = cell_of(duration);
    return cell < rank_of_cell_.size() ? rank_of_cell_[cell] : kNone;
  }

 private:
  // Cells divide each octave evenly: fine enough for windows of the bound, coarse enough to count in.
  std::size_t cell_of(std::uint64_t duration) const;
  std::uint64_t cell_begin(std::size_t cell) const;

  unsigned octave_bits_ = 0;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint8_t> rank_of_cell_;
};

}  // namespace weir::trace::detail
