#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "grammar/merge.hpp"
#include "grammar/sequitur.hpp"
#include "trace/columns.hpp"
#include "trace/detail/table_builder.hpp"
#include "trace/lane_file.hpp"
#include "trace/process_info.hpp"
#include "trace/replay.hpp"
#include "trace/timing/block.hpp"

namespace weir::trace::detail {

// What all streams of a merge share.
struct MergeContext {
  TableBuilder tables;
  grammar::Merger grammars;
  std::uint64_t grammar_count = 0;
  double nanoseconds_per_tick = 1;
  std::int64_t origin_monotonic = 0;
  TimingOptions timing;
  std::function<double(const Function&)> error_of;             // 0: as the options say
  std::vector<double> error_of_signature;                      // kept as signatures appear
  std::function<Result<std::uint64_t>(ByteSpan)> write_block;  // where it begins
};

// Turns the entries of one lane into blocks and a grammar.
class StreamMerger {
 public:
  StreamMerger(MergeContext& context, ProcessInfo& process, const LaneFile& lane);

  Result<void> take(std::span<const std::uint32_t> words);
  Result<StreamInfo> finish();

 private:
  Result<void> define(live::Definition type, std::string_view payload);
  Result<void> describe_process(std::string_view payload);
  Result<void> add_record(std::uint32_t symbol, std::span<const std::int64_t> columns, std::uint64_t gap,
                          std::uint64_t duration);
  Result<void> flush_block();
  void close_part();
  std::int64_t nanoseconds(std::uint64_t tick) const;

  MergeContext& context_;
  ProcessInfo& process_;
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
  ByteWriter state_;
  std::vector<Event> events_;
  ColumnWriter columns_;
  std::vector<std::int64_t> starts_;
  std::vector<std::uint64_t> durations_;
  std::vector<std::uint32_t> symbols_;
};

}  // namespace weir::trace::detail
