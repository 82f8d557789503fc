#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "semantics/order/activity.hpp"
#include "semantics/order/edges.hpp"
#include "semantics/order/messages.hpp"

namespace weir::semantics {

// Puts the calls of each collective together: the n-th on a communicator or window of one member belongs to
// the n-th of every other. What order that makes depends on the operation (MpiCall::Flow), on the root and on
// who gives and takes anything.
void match_collectives(std::span<const ProcessActivity> processes, std::span<const std::uint32_t> chain_base,
                       const Contexts& contexts, std::span<const MpiCall> calls, Edges& edges,
                       std::vector<Alone>& alone);

}  // namespace weir::semantics
