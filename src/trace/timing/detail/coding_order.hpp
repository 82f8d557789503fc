#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "trace/timing/detail/signatures.hpp"

namespace weir::trace::detail {

// The order in which durations are coded: that of the stream, or signature by signature.
inline std::vector<std::uint32_t> coding_order(const LocalSignatures& local, bool clustered) {
  std::vector<std::uint32_t> order(local.of_record.size());
  if (!clustered || local.size() == 1) {
    std::iota(order.begin(), order.end(), 0u);
    return order;
  }
  std::vector<std::uint32_t> next(local.size());
  std::exclusive_scan(local.count.begin(), local.count.end(), next.begin(), 0u);
  for (std::uint32_t i = 0; i < order.size(); ++i) order[next[local.of_record[i]]++] = i;
  return order;
}

}  // namespace weir::trace::detail
