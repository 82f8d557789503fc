#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "workload/job.hpp"

namespace weir::workload {

// Times of single operations of one kind.
struct Latency {
  std::uint64_t count = 0;
  Nanoseconds p50, p99, p999, max;
};

// Times are counted from the moment all workers were let go.
struct WorkerTimes {
  Nanoseconds begin;  // before its first operation, opening included
  Nanoseconds end;    // after its last, closing and syncing included
  Nanoseconds open;   // spent in opening
  Nanoseconds close;  // spent in the final fsync and in closing
  Bytes bytes;
  std::uint64_t operations = 0;
};

// How far all workers together were at one moment.
struct ProgressPoint {
  Nanoseconds at;  // since the start
  Bytes bytes;
};

struct Outcome {
  std::int64_t started_ns = 0;  // wall clock, since 1970
  Bytes bytes;                  // moved by all workers in the measured time
  Nanoseconds whole;            // first begin to last end
  Nanoseconds together;         // the interval in which all workers were running
  Bytes bytes_together;         // moved within it
  std::vector<WorkerTimes> workers;
  Latency read, write;
  bool verified = false;
  std::vector<ProgressPoint> progress;  // only if asked for; some hundred points a worker, ascending
  // Written bytes that were still on their way to the storage when the workers had ended; nothing where the
  // kernel does not tell (before 6.5).
  std::optional<Bytes> cached;
  std::vector<std::string> notes;  // "caches could not be dropped: ..." and other things a reader must know

  double throughput() const;  // bytes per second over the whole
  // Over the interval in which all were running; not a number when there was none, as the notes then say.
  double throughput_together() const;
};

// Prepares files, lets all workers start together, measures, verifies, removes the files, also after a
// failure. A failed or killed worker is an Error that names it, the file and the reason. Workers::mpi is run
// by the programs weir-rank-* (see rank.hpp), not here.
Result<Outcome> run(const Job& job);

// For who runs several jobs side by side.
struct RunControl {
  std::function<Result<void>()> before_start;  // all workers are ready: returns when they may begin
  bool progress = false;                       // fill Outcome::progress
};
Result<Outcome> run(const Job& job, const RunControl& control);

// A run's files are in a directory of their own, weir-run.HOST.PID.NUMBER, inside the job's. This removes
// those that killed processes of this machine left in `directory` (a run does so by itself before it begins)
// and tells how many.
std::uint64_t remove_leftovers(const std::filesystem::path& directory);

Json to_json(const Outcome& outcome);
Result<Outcome> outcome_from_json(const Json& json);

}  // namespace weir::workload
