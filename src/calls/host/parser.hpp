#pragma once

#include <string>
#include <string_view>

#include "calls/host/problem.hpp"
#include "calls/host/row.hpp"

namespace weir::host {

// Reads one table. Every bad row adds a problem with its line and is left out; the rest is still read, so
// that one run shows all mistakes. Any bytes may come in. `file` is only used for its name and in problems.
Table parse_table(const std::string& file, std::string_view text, Problems& problems);

}  // namespace weir::host
