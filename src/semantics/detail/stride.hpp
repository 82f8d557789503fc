#pragma once

#include <optional>
#include <vector>

#include "semantics/patterns.hpp"

namespace weir::semantics::detail {

// The stride of a file that two or more processes access in step: `accesses` holds each process's in its
// order. What one call moved in pieces one behind the other is one access. A tenth of the bytes may be
// others: a library's own bookkeeping.
std::optional<Stride> find_stride(const std::vector<std::vector<const Access*>>& accesses);

}  // namespace weir::semantics::detail
