#pragma once

#include "consistency/policy.hpp"
#include "semantics/accesses.hpp"
#include "semantics/verdict.hpp"

namespace weir::semantics {

// For each name that a written file had, the weakest model that suffices and that the burst file system has;
// where several files had it, one after the other, the strongest of these.
consistency::FilePolicy file_policy(const Accesses& accesses, const Verdict& verdict);

}  // namespace weir::semantics
