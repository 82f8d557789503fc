#pragma once

#include <algorithm>
#include <cstdint>

#include "trace/timing/block.hpp"

namespace weir::trace::detail {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

// Encoder and decoder bring every reconstructed start into this range. What is true lies in it, so that this
// only ever lessens an error, and no difference of two starts overflows.
inline std::int64_t clamp_start(Wide start) {
  return static_cast<std::int64_t>(std::clamp<Wide>(start, Wide{-kTimeLimit} + 1, Wide{kTimeLimit}));
}

inline std::uint64_t clamp_duration(UnsignedWide duration) {
  return static_cast<std::uint64_t>(std::min<UnsignedWide>(duration, static_cast<std::uint64_t>(kTimeLimit)));
}

// |a|; the callers' differences never reach the smallest number.
inline std::uint64_t magnitude(std::int64_t a) { return static_cast<std::uint64_t>(a < 0 ? -a : a); }

}  // namespace weir::trace::detail
