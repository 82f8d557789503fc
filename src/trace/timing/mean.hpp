#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/timing/block.hpp"

namespace weir::trace {

// What a block of mode mean keeps of one signature. An interval is the time from the start of the record
// before to the start of this one; the first record of a block has none.
struct SignatureTimes {
  std::uint32_t signature = 0;
  std::uint64_t count = 0;
  double mean_duration = 0;
  std::uint64_t min_duration = 0;
  std::uint64_t max_duration = 0;
  std::uint64_t intervals = 0;  // count, or one less
  double mean_interval = 0;
  std::int64_t min_interval = 0;
  std::int64_t max_interval = 0;
};

// What follows the mode byte. Exact after decoding: the start of the first record, start and duration of
// the last, and per signature the sums (so the means) of durations and intervals. In between every record has
// its signature's mean, rounded so that the sums come out.
void encode_mean(const TimesView& times, ByteWriter& out);
Result<void> decode_mean(ByteReader& in, std::span<const std::uint32_t> signature, const TimesOut& out);

// The table itself, in order of the signatures' first records.
Result<std::vector<SignatureTimes>> read_means(ByteReader& in, std::span<const std::uint32_t> signature);

}  // namespace weir::trace
