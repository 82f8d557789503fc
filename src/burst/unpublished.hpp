#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "burst/buffer_facts.hpp"
#include "burst/shard_state.hpp"

namespace weir::burst {

// Bytes in a node's segments that no owner has a place of, by client. What is zero is not counted: that is
// what was never written.
std::map<std::uint64_t, std::uint64_t> unpublished_in(const FoundBuffer& buffer, const Job& job,
                                                      std::span<const ShardState> owners);

}  // namespace weir::burst
