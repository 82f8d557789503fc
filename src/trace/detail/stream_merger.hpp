#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "grammar/sequitur.hpp"
#include "trace/columns.hpp"
#include "trace/detail/block.hpp"
#include "trace/lane_file.hpp"
#include "trace/process_info.hpp"
#include "trace/replay.hpp"
#include "trace/timing/block.hpp"

namespace weir::trace::detail {

class ProcessMerger;

// When the process of a lane was first seen, on its monotonic clock: before the lane began, which it does
// when the first call has ended.
std::int64_t first_seen(const LaneHeader& lane, double nanoseconds_per_tick);

// Turns the entries of one lane into blocks and a grammar.
class StreamMerger {
 public:
  StreamMerger(ProcessMerger& process, const LaneFile& lane);

  Result<void> take(std::span<const std::uint32_t> words);
  Result<StreamInfo> finish();

 private:
  Result<void> define(live::Definition type, std::string_view payload);
  Result<void> describe_process(std::string_view payload);
  Result<void> set_thread(std::string_view payload);
  Result<void> add_record(std::uint32_t symbol, std::span<const std::int64_t> columns, std::uint64_t gap,
                          std::uint64_t duration);
  Result<void> flush_block();
  void close_part();
  std::int64_t nanoseconds(std::uint64_t tick) const;

  ProcessMerger& process_;
  const bool timed_;
  const std::uint64_t first_tick_;
  const std::int64_t first_ns_;
  Replay replay_;
  StreamInfo info_;
  TimingEncoder timing_encoder_;
  grammar::Sequitur sequitur_;
  std::vector<std::uint32_t> texts_;
  std::vector<std::uint32_t> templates_;
  std::vector<std::uint32_t> signatures_;
  std::uint64_t last_end_ = 0;  // tick

  // The block in the making.
  ByteWriter state_;  // before it; nothing before the first
  std::vector<Event> events_;
  ColumnWriter columns_;
  OwnNumbers descriptors_;
  std::vector<std::int64_t> starts_;
  std::vector<std::uint64_t> durations_;
  std::vector<std::uint32_t> symbols_;
};

}  // namespace weir::trace::detail
