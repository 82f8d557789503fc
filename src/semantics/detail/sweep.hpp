#pragma once

#include "semantics/detail/findings.hpp"

namespace weir::semantics::detail {

// Goes through the accesses by time and judges each against the last writer of its bytes and, if it writes,
// against those who read them since. Enough to tell whether a model suffices: where each write is visible to
// the next access, it is visible to all later ones, for the chain of publishing and seeing goes on through
// the accesses between.
void sweep(const File& file, Judge& judge, Findings& findings);

}  // namespace weir::semantics::detail
