#include "workload/run.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "workload/detail/crew.hpp"
#include "workload/detail/files.hpp"
#include "workload/detail/outcome.hpp"

namespace weir::workload {
namespace {

using detail::Board;
using detail::RunDirectory;
using detail::Task;

double per_second(Bytes bytes, Nanoseconds time) {
  if (time.count <= 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(bytes.count) / (static_cast<double>(time.count) * 1e-9);
}

Result<void> prepare_all(const std::vector<Task>& tasks) {
  for (const Task& task : tasks)
    if (auto prepared = detail::prepare(task); !prepared) return prepared.error().in("preparing");
  return {};
}

// The workers' timelines as one.
std::vector<ProgressPoint> progress_of(const Board& board, const Calibration& clock) {
  struct Step {
    Nanoseconds at;
    std::uint64_t more = 0;
  };
  std::vector<Step> steps;
  for (std::uint32_t i = 0; i < board.workers(); ++i) {
    const detail::Lane& lane = board.lane(i);
    std::uint64_t before = 0;
    const auto step = [&](Tick when, std::uint64_t bytes) {
      if (bytes > before) steps.push_back({clock.duration(board.started(), when), bytes - before});
      before = bytes;
    };
    for (std::size_t p = 0; p < lane.timeline.size(); ++p)
      step(lane.timeline[p].when, lane.timeline[p].bytes);
    step(lane.end, lane.bytes());
  }
  std::ranges::sort(steps, {}, &Step::at);
  std::vector<ProgressPoint> points;
  Bytes sum;
  for (const Step& step : steps) points.push_back({step.at, sum += Bytes(step.more)});
  return points;
}

Outcome collect(const Board& board, const Calibration& clock) {
  Outcome outcome;
  detail::Histogram read, write;
  for (std::uint32_t i = 0; i < board.workers(); ++i) {
    const detail::Lane& lane = board.lane(i);
    outcome.workers.push_back(detail::times_of(lane, board.started(), clock));
    read.merge(lane.read);
    write.merge(lane.write);
  }
  outcome.read = detail::latency_of(read, clock.nanoseconds_per_tick());
  outcome.write = detail::latency_of(write, clock.nanoseconds_per_tick());
  detail::sum_up(outcome);
  const auto& from = board.last_begin();
  const auto& to = board.first_end();
  if (to.when > from.when) {
    outcome.together = clock.duration(from.when, to.when);
    outcome.bytes_together = Bytes(to.bytes - from.bytes);
  } else {
    outcome.notes.emplace_back(detail::kNeverTogether);
  }
  return outcome;
}

}  // namespace

double Outcome::throughput() const { return per_second(bytes, whole); }
double Outcome::throughput_together() const { return per_second(bytes_together, together); }

Result<Outcome> run(const Job& job) { return run(job, {}); }

Result<Outcome> run(const Job& job, const RunControl& control) {
  if (auto fine = check(job); !fine) return fine.error();
  if (job.workers == Workers::mpi)
    return Error{Errc::usage, "MPI ranks are started by an MPI launcher"}.with_remedy(
        "use workers threads or processes here");
  auto directory = RunDirectory::make(job.directory, job.keep);
  if (!directory) return directory.error();
  std::vector<Task> tasks;
  for (std::uint32_t i = 0; i < job.count; ++i) tasks.push_back(detail::task_of(job, i, directory->path()));
  auto board = Board::make(job.count);
  if (!board) return board.error();
  if (auto prepared = prepare_all(tasks); !prepared) return prepared.error();
  if (control.progress)
    for (std::uint32_t i = 0; i < job.count; ++i) board->lane(i).keep_timeline();
  std::vector<std::string> notes;
  if (job.cache == Cache::cold) notes = detail::drop_cached(tasks);

  const auto first = Calibration::Reading::take();
  const Nanoseconds wall = Clock::wall();
  auto done = job.workers == Workers::threads ? run_threads(tasks, *board, control.before_start)
                                              : run_processes(tasks, *board, control.before_start);
  if (!done) return done.error();
  const Calibration clock = detail::calibrate_since(first);

  Outcome outcome = collect(*board, clock);
  outcome.cached = detail::bytes_in_cache(tasks);
  if (control.progress) outcome.progress = progress_of(*board, clock);
  outcome.started_ns = (wall + clock.duration(first.tick, board->started())).count;
  outcome.notes.insert(outcome.notes.begin(), notes.begin(), notes.end());
  if (job.verify) {
    for (const Task& task : tasks)
      if (auto same = detail::read_back(task); !same) return same.error().in("reading back");
    outcome.verified = true;
  }
  if (job.keep) outcome.notes.push_back(fmt::format("files are kept in {}", directory->path().string()));
  if (auto removed = directory->remove(); !removed) outcome.notes.push_back(removed.error().text());
  return outcome;
}

}  // namespace weir::workload
