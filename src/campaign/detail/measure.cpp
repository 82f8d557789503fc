#include "campaign/detail/measure.hpp"

#include "base/clock.hpp"
#include "base/json.hpp"
#include "campaign/detail/ranks.hpp"
#include "campaign/watched.hpp"
#include "workload/run.hpp"

namespace weir::campaign::detail {
namespace {

double seconds(Nanoseconds time) { return static_cast<double>(time.count) * 1e-9; }

LatencyRow latency_row(const workload::Latency& latency) {
  LatencyRow row{.count = latency.count, .p50_s = {}, .p99_s = {}, .p999_s = {}, .max_s = {}};
  if (latency.count == 0) return row;
  row.p50_s = seconds(latency.p50);
  row.p99_s = seconds(latency.p99);
  row.p999_s = seconds(latency.p999);
  row.max_s = seconds(latency.max);
  return row;
}

void fill(RunRow& row, const workload::Outcome& outcome) {
  row.started_ns = outcome.started_ns;
  row.duration_s = seconds(outcome.whole);
  row.bytes = static_cast<double>(outcome.bytes.count);
  row.throughput = outcome.throughput();
  if (outcome.together.count > 0) row.throughput_together = outcome.throughput_together();
  row.read = latency_row(outcome.read);
  row.write = latency_row(outcome.write);
  row.workers = Json::array();
  for (const workload::WorkerTimes& worker : outcome.workers)
    row.workers.push_back({{"begin_s", seconds(worker.begin)},
                           {"end_s", seconds(worker.end)},
                           {"open_s", seconds(worker.open)},
                           {"close_s", seconds(worker.close)},
                           {"bytes", worker.bytes.count},
                           {"operations", worker.operations}});
  for (const std::string& note : outcome.notes) row.notes.push_back(note);
}

}  // namespace

RunRow measure(const workload::Job& job, const RunOptions& options) {
  RunRow row;
  row.started_ns = Clock::wall().count;
  row.notes = Json::array();
  Watched watched = Watched::begin(
      job.directory, {.monitors = options.monitors, .limits = options.limits, .root = options.root}, row);
  const auto outcome = job.workers == workload::Workers::mpi ? run_ranks(job, options) : workload::run(job);
  watched.end(row);
  if (!outcome) {
    row.state = RunState::failed;
    row.reason = outcome.error().text();
    return row;
  }
  fill(row, *outcome);
  // Ranks may be on other machines.
  watched.judge(row, job.workers == workload::Workers::mpi ? 0 : job.count);
  return row;
}

}  // namespace weir::campaign::detail
