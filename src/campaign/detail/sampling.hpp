#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "campaign/detail/product.hpp"
#include "campaign/grid.hpp"

namespace weir::campaign::detail {

// `wanted` of the `valid` configurations, every such choice equally likely, in ascending order.
Result<std::vector<Configuration>> random_share(const Product& product, std::uint64_t valid,
                                                std::uint64_t wanted, std::uint64_t seed);

// A Latin hypercube over levels: `points` different valid configurations in which every factor's levels occur
// equally often, as far as the constraints let them. Ascending.
Result<std::vector<Configuration>> latin_hypercube(const Product& product, std::uint64_t valid,
                                                   std::uint64_t points, std::uint64_t seed);

// The rows of the design's list as configurations, in the list's order; each must be valid and new.
Result<std::vector<Configuration>> listed(const Grid& grid, const Product& product);

}  // namespace weir::campaign::detail
