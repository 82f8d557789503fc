#pragma once

#include "cli/output.hpp"
#include "proxy/compare.hpp"

namespace weir::cli {

// Says how two runs differ; the exit status: 0 if they made the same calls.
int print_comparison(const proxy::Comparison& comparison, bool strict, bool json, Output& out);

}  // namespace weir::cli
