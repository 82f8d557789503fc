#pragma once

#include "trace/timing/detail/binned.hpp"

namespace weir::trace::detail {

// Mode hist: the frequent bins of each signature in few bits. What follows the error classes.
void encode_hist(const BinnedTimes& binned, const LocalSignatures& local, ByteWriter& out);
Result<BinnedTimes> decode_hist(ByteReader& in, const LocalSignatures& local);

}  // namespace weir::trace::detail
