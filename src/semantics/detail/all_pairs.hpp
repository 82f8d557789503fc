#pragma once

#include "semantics/detail/findings.hpp"

namespace weir::semantics::detail {

// Every two overlapping accesses of which one writes; each pair counts.
void judge_all_pairs(const File& file, Judge& judge, Findings& findings);

}  // namespace weir::semantics::detail
