#include "campaign/schedule.hpp"

#include <numeric>
#include <utility>

#include "base/random.hpp"

namespace weir::campaign {

std::vector<std::uint32_t> order_of_round(std::uint32_t count, std::uint64_t seed, std::uint32_t round) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  Random random(seed, round);
  for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[random.below(left)]);
  return order;
}

}  // namespace weir::campaign
