#include "campaign/detail/measure.hpp"

#include <limits>
#include <optional>

#include <fcntl.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/parallel.hpp"
#include "base/unique_fd.hpp"
#include "campaign/detail/ranks.hpp"
#include "monitor/watch.hpp"
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

// What is still dirty from before would reach the device during the run and look like others' traffic.
void flush_before(const std::filesystem::path& directory) {
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) ::syncfs(fd.get());
}

// The kernel counts a run's own workers too when they wait for a processor: as many of them as cores always
// do.
monitor::Limits limits_for(const workload::Job& job, const RunOptions& options, Json& notes) {
  monitor::Limits limits = options.limits;
  if (job.workers != workload::Workers::mpi && job.count >= usable_cores()) {
    limits.cpu_pressure = std::numeric_limits<double>::infinity();
    notes.push_back("processor pressure is not judged: there are as many workers as cores, or more");
  }
  return limits;
}

std::string joined(const std::vector<std::string>& reasons) {
  std::string text;
  for (const std::string& reason : reasons) text += (text.empty() ? "" : "; ") + reason;
  return text;
}

}  // namespace

RunRow measure(const workload::Job& job, const RunOptions& options) {
  RunRow row;
  row.started_ns = Clock::wall().count;
  std::optional<monitor::Watch> watch;
  row.notes = Json::array();
  if (options.monitors) {
    flush_before(job.directory);
    monitor::WatchOptions watched;
    watched.root = options.root;
    watched.directories = {job.directory};
    auto started = monitor::Watch::start(watched);
    if (started)
      watch = *std::move(started);
    else
      row.notes.push_back(started.error().text());
  }
  const auto before = monitor::own_traffic(options.root);
  const auto outcome = job.workers == workload::Workers::mpi ? run_ranks(job, options) : workload::run(job);
  const auto after = monitor::own_traffic(options.root);
  std::optional<monitor::Seen> seen;
  if (watch) {
    seen = watch->stop();
    row.monitors = to_json(*seen);
  }
  if (!outcome) {
    row.state = RunState::failed;
    row.reason = outcome.error().text();
    return row;
  }
  fill(row, *outcome);
  if (!seen) return row;
  if (!before || !after) {
    row.notes.push_back("not judged: " + (before ? after : before).error().text());
    return row;
  }
  const monitor::Traffic own = after->since(*before);
  const auto verdict = monitor::judge(*seen, own.read, own.written, limits_for(job, options, row.notes));
  for (const std::string& note : verdict.notes) row.notes.push_back(note);
  if (!verdict.clean) {
    row.state = RunState::disturbed;
    row.reason = joined(verdict.reasons);
  }
  return row;
}

}  // namespace weir::campaign::detail
