#pragma once

#include <span>
#include <string>
#include <vector>

#include "burst/buffer_facts.hpp"
#include "burst/shard_state.hpp"

namespace weir::burst {

// What clients of a node wrote under its tokens, was answered, and no owner was told before it died: it is
// published now, as an agent would have. What cannot be read is a problem.
void publish_token_writes(const FoundBuffer& buffer, const Job& job, std::span<ShardState> owners,
                          std::vector<std::string>& problems);

}  // namespace weir::burst
