#pragma once

#include <cstdint>

namespace weir::semantics::detail {

// No file reaches so far: what a damaged or hostile trace says of such offsets is not followed, and sums of a
// few that are not far cannot overflow.
inline constexpr std::int64_t kFar = std::int64_t{1} << 60;

constexpr bool is_far(std::int64_t value) { return value >= kFar || value <= -kFar; }

// The product; kFar where it would be far.
constexpr std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) || is_far(product) ? kFar : product;
}

}  // namespace weir::semantics::detail
