#pragma once

#include <span>

#include "trace/timing/detail/error_bound.hpp"

namespace weir::trace::detail {

// Mode quant: durations by a codebook, starts predicted from them, both through an adaptive arithmetic coder.
// What follows the error classes; docs/formats/timing.md has the bytes.
void encode_quant(const TimesView& times, const LocalSignatures& local, const ErrorClasses& classes,
                  bool clustered, ByteWriter& out);
Result<void> decode_quant(ByteReader& in, const LocalSignatures& local, const ErrorClasses& classes,
                          const TimesOut& out);

}  // namespace weir::trace::detail
