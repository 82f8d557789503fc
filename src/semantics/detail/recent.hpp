#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::semantics::detail {

// What was found lately, by a key: the last that fell into each slot. As many slots as pairs of so many
// members need, within bounds: most files have few.
template <class Found>
class Recent {
 public:
  explicit Recent(std::size_t members)
      : slots_(std::bit_ceil(std::clamp<std::size_t>(std::min<std::size_t>(members, 256) * members * 2, 16,
                                                     std::size_t{1} << 14))),
        shift_(65 - static_cast<std::uint64_t>(std::bit_width(slots_.size()))) {}

  Found& slot(std::uint64_t one, std::uint64_t other) {
    return slots_[((one * 0x9E3779B97F4A7C15U) ^ (other * 0xC2B2AE3D27D4EB4FU)) >> shift_];
  }

 private:
  std::vector<Found> slots_;
  std::uint64_t shift_;
};

}  // namespace weir::semantics::detail
