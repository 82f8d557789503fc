#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.hpp"

namespace weir::interference::detail {

// So many files or more, each written in one go and closed, are checkpoints; fewer are output files.
inline constexpr std::uint64_t kManySessions = 3;
// Fewer have no rhythm.
inline constexpr std::size_t kFewestBursts = 3;

struct Weighted {
  double size = 0, bytes = 0;
};

// The size below which `share` of the bytes are.
Bytes size_below(std::vector<Weighted> sizes, double share);

}  // namespace weir::interference::detail
