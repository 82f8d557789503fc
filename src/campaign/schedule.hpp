#pragma once

#include <cstdint>
#include <vector>

namespace weir::campaign {

// The order in which a round goes through the configurations 0 .. count-1: a random permutation from the seed
// and the round's number alone, so that a resumed campaign goes on in the order it would have had.
std::vector<std::uint32_t> order_of_round(std::uint32_t count, std::uint64_t seed, std::uint32_t round);

}  // namespace weir::campaign
