#include "trace/timing/detail/bins.hpp"

#include <algorithm>

namespace weir::trace::detail {

bool ExponentialBins::extend() {
  if (!last_.empty() && last_.back() >= kLast) return false;
  const std::uint64_t begin = last_.empty() ? 0 : last_.back() + 1;
  value_.push_back(begin + bound_.tolerance(begin));
  last_.push_back(bound_.last_under(value_.back()));
  return true;
}

std::uint32_t ExponentialBins::bin(std::uint64_t value) {
  while (last_.empty() || last_.back() < value) extend();
  return static_cast<std::uint32_t>(std::lower_bound(last_.begin(), last_.end(), value) - last_.begin());
}

bool ExponentialBins::find(std::uint32_t bin, std::uint64_t& value) {
  while (bin >= value_.size())
    if (!extend()) return false;
  value = value_[bin];
  return true;
}

}  // namespace weir::trace::detail
