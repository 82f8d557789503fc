#pragma once

#include "trace/record.hpp"

namespace weir::semantics::detail {

// Whether the function is what its name says: a trace brings its own table of functions, and one that calls
// mkdir "pread" has no offset to read. What is not known here is not followed.
bool is_known(const trace::Function& function);

}  // namespace weir::semantics::detail
