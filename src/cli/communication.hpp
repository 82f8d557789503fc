#pragma once

#include <cstddef>

#include "base/json_fwd.hpp"
#include "cli/output.hpp"
#include "semantics/communication.hpp"
#include "trace/trace_file.hpp"

namespace weir::cli {

Json communication_json(const trace::TraceFile& trace, const semantics::Communication& communication);

// A matrix where it fits on a page, else the pairs with the most bytes.
void print_communication(const trace::TraceFile& trace, const semantics::Communication& communication,
                         std::size_t top, Output& out);

}  // namespace weir::cli
