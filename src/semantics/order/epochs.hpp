#pragma once

#include <cstdint>
#include <span>

#include "semantics/order/activity.hpp"
#include "semantics/order/edges.hpp"

namespace weir::semantics {

// Joins the two sides of one-sided communication with MPI_Win_post, _start, _complete and _wait: the n-th
// time a process opens its memory to another belongs to the n-th time that one accesses it. A wait comes
// after each MPI_Win_complete has begun, and a complete that ends a fetch comes after the post
// (MPI 3.1, 11.5.2; a put may be kept back).
void match_epochs(std::span<const ProcessActivity> processes, std::span<const std::uint32_t> chain_base,
                  Edges& edges);

}  // namespace weir::semantics
