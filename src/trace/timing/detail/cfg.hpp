#pragma once

#include "trace/timing/detail/binned.hpp"

namespace weir::trace::detail {

// Mode cfg: a grammar of the durations' bins and one of the intervals'. What follows the error classes.
void encode_cfg(const BinnedTimes& binned, ByteWriter& out);
Result<BinnedTimes> decode_cfg(ByteReader& in, std::size_t records);

}  // namespace weir::trace::detail
