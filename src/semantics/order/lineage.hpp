#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "semantics/order/activity.hpp"
#include "semantics/order/edges.hpp"
#include "trace/process_info.hpp"

namespace weir::semantics {

// What processes and threads inherit and leave. The call that forked a process began before all it does, and
// a program that replaced another in the same process comes after all of that one; a thread likewise comes
// after the start of the call that made it. A wait that found a child ended, and a join, end after all that
// the child or the thread did. A shell that the C library forked is known by its command and, where `timed`,
// by when it began; one that two calls may have made says nothing. `chain_base` says which number the first
// thread of a process has. Gives the processes whose beginning is known: the call that forked them is in the
// trace, or the program that they replaced.
std::vector<bool> add_lineage(std::span<const trace::ProcessInfo> about,
                              std::span<const ProcessActivity> processes,
                              std::span<const std::uint32_t> chain_base, bool timed, Edges& edges);

}  // namespace weir::semantics
