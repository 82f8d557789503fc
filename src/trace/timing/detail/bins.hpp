#pragma once

#include <cstdint>
#include <vector>

#include "trace/timing/detail/error_bound.hpp"

namespace weir::trace::detail {

// Exponential bins: the integers cut into stretches that one value in each can stand for within the bound.
// Bin 0 is 0; the first bins hold one integer each. The limits follow from the bound in integer
// arithmetic: bin b + 1 begins after the last of bin b, at x say, its value is x + tolerance(x). Bins are
// made when they are first asked for.
class ExponentialBins {
 public:
  static constexpr std::uint64_t kLast = (std::uint64_t{1} << 63) - 1;  // the largest interval there is

  explicit ExponentialBins(const ErrorBound& bound) : bound_(bound) {}

  // `value` is kLast at most.
  std::uint32_t bin(std::uint64_t value);
  // Whether there is such a bin, and its value.
  bool find(std::uint32_t bin, std::uint64_t& value);

 private:
  bool extend();  // false when the last bin is there

  ErrorBound bound_;
  std::vector<std::uint64_t> last_;
  std::vector<std::uint64_t> value_;
};

}  // namespace weir::trace::detail
