#pragma once

#include <cstdint>
#include <span>

#include "semantics/order/activity.hpp"
#include "semantics/order/edges.hpp"
#include "trace/process_info.hpp"

namespace weir::semantics {

// What a process inherits: the call that forked it began before all it does, and a program that replaced
// another in the same process comes after all of that one. `chain_base` says which number the first thread of
// a process has.
void add_lineage(std::span<const trace::ProcessInfo> about, std::span<const ProcessActivity> processes,
                 std::span<const std::uint32_t> chain_base, Edges& edges);

}  // namespace weir::semantics
