#pragma once

#include <string>

#include "base/json.hpp"
#include "base/result.hpp"

namespace weir::cli {

// A trace as the page shows it, weir.trace-view/1: what `weir stat` tells, and what was done when and where,
// in bins. A part that cannot be made is null and has its reason in `problems`.
Result<Json> trace_view_json(const std::string& path, bool salvage);

}  // namespace weir::cli
