#pragma once

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "trace/detail/partial.hpp"

namespace weir::trace::detail {

// A partial whose processes were merged while they ran, as bytes of a message or a file.
void put_partial(ByteWriter& out, const Partial& partial);
// Takes it back. The bytes may be damaged: everything that is a number of something else is checked.
Result<Partial> take_partial(ByteReader& in);

}  // namespace weir::trace::detail
