#pragma once

#include <vector>

#include "base/result.hpp"
#include "semantics/accesses.hpp"
#include "semantics/detail/collected.hpp"
#include "semantics/order/reading.hpp"

namespace weir::semantics::detail {

// Reads all records, families of processes side by side; one entry per family. What an order needs of them is
// taken along where they come as it wants them.
Result<std::vector<Collected>> follow_trace(const trace::TraceFile& trace, const RebuildOptions& options,
                                            Reading& reading);

}  // namespace weir::semantics::detail
