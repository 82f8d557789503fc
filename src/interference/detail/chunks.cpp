#include "interference/detail/chunks.hpp"

#include <algorithm>

namespace weir::interference::detail {

Bytes size_below(std::vector<Weighted> sizes, double share) {
  std::ranges::sort(sizes, {}, &Weighted::size);
  double all = 0, below = 0;
  for (const Weighted& each : sizes) all += each.bytes;
  for (const Weighted& each : sizes)
    if ((below += each.bytes) >= share * all) return Bytes(static_cast<std::uint64_t>(each.size));
  return {};
}

}  // namespace weir::interference::detail
