#pragma once

#include "trace/timing/detail/error_bound.hpp"

namespace weir::trace::detail {

// Mode zfp: logarithms of durations and intervals through the zfp library at a fixed accuracy, and what that
// leaves out of its bound listed apart. What follows the error classes. Errors `lacking` in a build without
// zfp.
Result<void> encode_zfp(const TimesView& times, const LocalSignatures& local, const ErrorClasses& classes,
                        bool clustered, ByteWriter& out);
Result<void> decode_zfp(ByteReader& in, const LocalSignatures& local, const ErrorClasses& classes,
                        const TimesOut& out);

}  // namespace weir::trace::detail
