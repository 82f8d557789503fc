#pragma once

#include <span>

#include "trace/timing/block.hpp"

// The modes with a bound on the relative error: times within kTimeLimit, whole blocks with their mode byte.
namespace weir::trace::detail {

Result<void> encode_bounded(const TimesView& times, const TimingOptions& options, ByteWriter& out);
// What follows the mode byte.
Result<void> decode_bounded(TimingMode mode, ByteReader& in, std::span<const std::uint32_t> signature,
                            const TimesOut& out);

}  // namespace weir::trace::detail
