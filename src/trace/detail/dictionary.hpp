#pragma once

#include "base/bytes.hpp"

namespace weir::trace::detail {

// What zstd knows before the first byte of a group of tables: how functions are described, names of
// predefined objects, the words of facts. It is part of version 3 of the format and never changes.
ByteSpan dictionary();

}  // namespace weir::trace::detail
