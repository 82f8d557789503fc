#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "trace/timing/mode.hpp"

namespace weir::trace {

struct MergeOptions {
  TimingOptions timing;
  std::map<std::string, double> error_of_function;  // overrides timing.error
  // Two readings of the clock around the run; without them the lanes' own readings tell the tick's length.
  std::vector<Calibration::Reading> readings;
  std::vector<std::string> command;  // what was traced, for the facts
  int status = 0;                    // and how it ended
  // Options that made the recorder leave calls out, as the user wrote them, for the facts.
  std::vector<std::string> narrowed;
  bool keep_live = false;
  // What was merged inside MPI_Finalize is used as far as it still holds. Without it: the same bytes, from
  // the lanes alone.
  bool with_parts = true;
  unsigned threads = 0;  // that merge processes side by side; 0: one per core
  // In bytes of live files; from any thread, one at a time.
  std::function<void(std::uint64_t done, std::uint64_t of)> progress;
};

// Written by `weir trace` beside the lanes before it merges, so that a later merge of the same lanes gives
// the same trace: the readings, the command, its status and what narrowed the recording.
Result<void> write_run_facts(const std::filesystem::path& directory, const MergeOptions& options);
// Makes the folder for the lanes and what is shared there.
Result<void> prepare_run(const std::filesystem::path& directory);
// Calls that the processes of a run could not record, as far as its files tell.
std::uint64_t lost_calls(const std::filesystem::path& directory);

struct MergeReport {
  std::filesystem::path file;
  std::uint64_t processes = 0;
  std::uint64_t merged_before = 0;  // of these: inside MPI_Finalize
  std::uint64_t streams = 0;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::uint64_t timing_bytes = 0;       // of these
  std::uint64_t lost = 0;               // calls that were not recorded
  std::uint64_t lost_without_lane = 0;  // of these: of threads that belong to no stream
  std::uint64_t damaged = 0;            // frames left out
  std::vector<std::string> warnings;    // what could not be read, and why
};

// Makes one trace of what the processes of a run left in DIR/live, and removes that. The same lanes give the
// same bytes, with any number of threads. Nothing is removed unless the trace is on disk.
Result<MergeReport> merge_run(const std::filesystem::path& directory, const MergeOptions& options);

}  // namespace weir::trace
