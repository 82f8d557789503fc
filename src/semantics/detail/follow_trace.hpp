#pragma once

#include <vector>

#include "base/result.hpp"
#include "semantics/accesses.hpp"
#include "semantics/detail/collected.hpp"

namespace weir::semantics::detail {

// Reads all records, families of processes side by side; one entry per family.
Result<std::vector<Collected>> follow_trace(const trace::TraceFile& trace, const RebuildOptions& options);

}  // namespace weir::semantics::detail
