#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "grammar/grammar.hpp"
#include "trace/communicator.hpp"
#include "trace/detail/partial.hpp"
#include "trace/detail/run_lanes.hpp"
#include "trace/detail/table_builder.hpp"
#include "trace/lane_file.hpp"
#include "trace/merge.hpp"
#include "trace/run_clock.hpp"
#include "trace/timing/mode.hpp"

namespace weir::trace::detail {

// What all processes of a merge share; none of them changes it.
struct MergeSettings {
  double nanoseconds_per_tick = 1;
  std::int64_t origin_monotonic = 0;
  TimingOptions timing;
  std::function<double(const Function&)> error_of;                    // 0: as the options say
  std::function<Result<std::uint32_t>(Section, ByteSpan)> add_piece;  // from any thread; its number
};

// All but add_piece.
MergeSettings settings_of(const MergeOptions& options, const RunClock& clock);

// Gathers the lanes of one process. Its signatures have numbers of its own, in the order in which records
// first have them, lane after lane.
class ProcessMerger {
 public:
  ProcessMerger(const MergeSettings& settings, std::uint64_t start_tick, const LaneFile& first);

  // All of a lane, up to its first damage. An error only when nothing can be written.
  Result<void> add(LaneFile& lane, const std::string& lane_name);
  // What became of it; afterwards this is of no more use.
  Partial finish();

  // For StreamMerger.
  const MergeSettings& settings() const { return settings_; }
  ProcessInfo& info() { return process_.info; }
  TableBuilder& tables() { return tables_; }
  // The process's own number of a signature that has a record.
  std::uint32_t own_number(std::uint32_t signature) {
    if (signature >= own_numbers_.size()) own_numbers_.resize(tables_.tables().signatures.size(), kNoNumber);
    return own_numbers_[signature] != kNoNumber ? own_numbers_[signature] : number_signature(signature);
  }
  // Of templates, as Replay::save() wants it.
  const std::vector<std::uint32_t>& own_templates() const { return own_templates_; }
  const std::vector<double>& errors() const { return errors_; }
  Result<void> set_rank(std::string_view payload);
  Result<void> add_communicator(std::string_view payload);
  void add_grammar(grammar::Grammar grammar) { grammars_.back().push_back(std::move(grammar)); }

 private:
  static constexpr std::uint32_t kNoNumber = ~std::uint32_t{0};

  std::uint32_t number_signature(std::uint32_t signature);
  SignatureClass signature_class(Partial& to) const;

  const MergeSettings& settings_;
  PartialProcess process_;
  TableBuilder tables_;
  std::vector<std::uint32_t> own_numbers_;    // by signature
  std::vector<std::uint32_t> own_templates_;  // by template
  std::uint32_t template_count_ = 0;
  std::vector<std::uint32_t> signatures_;                // by own number
  std::vector<double> errors_;                           // of timing, by own number
  std::vector<std::vector<grammar::Grammar>> grammars_;  // of the parts of each stream
  std::vector<Communicator> communicators_;
};

// One process from its lanes; `seen` is told of each when it has been read.
Result<Partial> merge_process(const MergeSettings& settings, std::span<const RunLane> lanes,
                              const std::function<void(const LaneFile&)>& seen);

}  // namespace weir::trace::detail
