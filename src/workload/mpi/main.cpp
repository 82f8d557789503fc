// weir-rank-<mpi> JOB.json OUTCOME.json: the ranks of one workload, started by an MPI launcher (see
// rank.hpp). Rank 0 reads the job and writes the outcome or the error; the exit status is 0 when it could.
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "workload/detail/files.hpp"
#include "workload/detail/outcome.hpp"
#include "workload/detail/rank_report.hpp"
#include "workload/mpi/mpi_engine.hpp"
#include "workload/rank.hpp"

namespace weir::workload {
namespace {

using detail::RankReport;
using detail::Task;

struct World {
  int rank = 0;
  int size = 1;
};

// What rank 0 says; empty at all ranks when it has nothing to say.
std::string broadcast(std::string text) {
  auto length = static_cast<std::uint64_t>(text.size());
  MPI_Bcast(&length, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  text.resize(length);
  MPI_Bcast(text.data(), static_cast<int>(length), MPI_BYTE, 0, MPI_COMM_WORLD);
  return text;
}

bool all_agree(bool mine) {
  int all = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all == 1;
}

// The reports of all ranks, at rank 0.
Result<std::vector<RankReport>> gather(const RankReport& mine, const World& world) {
  const std::vector<std::byte> bytes = encode(mine);
  const int length = static_cast<int>(bytes.size());
  std::vector<int> lengths(static_cast<std::size_t>(world.size));
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<RankReport> reports;
  if (world.rank != 0) {
    MPI_Send(bytes.data(), length, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    return reports;
  }
  std::vector<std::byte> from;
  for (int rank = 0; rank < world.size; ++rank) {
    if (rank == 0) {
      from = bytes;
    } else {
      from.resize(static_cast<std::size_t>(lengths[static_cast<std::size_t>(rank)]));
      MPI_Recv(from.data(), static_cast<int>(from.size()), MPI_BYTE, rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    }
    auto report = detail::decode(from);
    if (!report) return report.error();
    reports.push_back(std::move(*report));
  }
  return reports;
}

Result<void> check_ranks(const Job& job, const World& world) {
  if (auto fine = check(job); !fine) return fine;
  if (job.workers != Workers::mpi)
    return Error{Errc::usage, "the job's workers are not mpi"}.with_remedy("set workers to mpi");
  if (job.count != static_cast<std::uint32_t>(world.size))
    return Error{Errc::usage,
                 fmt::format("the job is for {} ranks, and {} were started", job.count, world.size)}
        .with_remedy("give the launcher the job's count");
  return {};
}

Result<std::unique_ptr<detail::Worker>> make_rank_worker(const Task& task) {
  return engine_of(task.job) == Engine::mpiio ? detail::make_mpiio_worker(task) : detail::make_worker(task);
}

// This rank's part, from its files to its report. Ranks meet at the same barriers whether they fail or not.
RankReport run_part(const Task& task, Nanoseconds& wall) {
  RankReport report;
  auto worker = make_rank_worker(task);
  if (!worker) report.error = worker.error();
  if (!report.error)
    if (auto prepared = detail::prepare(task); !prepared) report.error = prepared.error().in("preparing");
  std::vector<std::string> notes;
  if (!report.error && task.job.cache == Cache::cold) notes = detail::drop_cached({task});
  if (!all_agree(!report.error)) return report;

  const std::atomic<std::uint32_t> stop{0};
  const auto lane = std::make_unique<detail::Lane>();
  lane->stop = &stop;
  lane->keep_timeline();
  const auto first = Calibration::Reading::take();
  MPI_Barrier(MPI_COMM_WORLD);
  const Tick started = Clock::now();
  wall = Clock::wall();
  lane->begin = Clock::now();
  const auto done = (*worker)->run(*lane);
  lane->end = Clock::now();
  MPI_Barrier(MPI_COMM_WORLD);

  report = report_of(*lane, started, detail::calibrate_since(first));
  report.notes = std::move(notes);
  if (!done) report.error = done.error();
  if (!report.error && task.job.verify)
    if (auto same = detail::read_back(task); !same) report.error = same.error().in("reading back");
  return report;
}

// At rank 0 the outcome, elsewhere nothing of use.
Result<Outcome> run_ranks(const char* job_file, const World& world) {
  Result<Job> job = Error{Errc::internal, "rank 0 could not begin"};
  std::optional<detail::RunDirectory> directory;
  std::string path, text;
  if (world.rank == 0) {
    job = read_rank_job(job_file);
    if (job)
      if (auto fine = check_ranks(*job, world); !fine) job = fine.error();
    if (job) {
      auto made = detail::RunDirectory::make(job->directory, job->keep);
      if (made)
        path = directory.emplace(std::move(*made)).path().string();
      else
        job = made.error();
    }
    if (job) text = to_json(*job).dump();
  }
  text = broadcast(std::move(text));
  path = broadcast(std::move(path));
  if (text.empty()) return job.error();
  if (world.rank != 0) {
    const auto json = parse_json(text);
    job = json ? job_from_json(*json) : json.error();
  }
  if (!all_agree(job.has_value())) return Error{Errc::internal, "a rank could not read the job"};

  Nanoseconds wall;
  const Task task = detail::task_of(*job, static_cast<std::uint32_t>(world.rank), path);
  const RankReport mine = run_part(task, wall);
  const auto reports = gather(mine, world);
  if (!reports) return reports.error();
  if (world.rank != 0) return Outcome{};
  auto outcome = combine(*reports);
  if (!outcome) return outcome;
  outcome->started_ns = wall.count;
  outcome->verified = job->verify;
  if (job->keep) outcome->notes.push_back(fmt::format("files are kept in {}", path));
  if (auto removed = directory->remove(); !removed) outcome->notes.push_back(removed.error().text());
  return outcome;
}

int rank_main(int argc, char** argv) {
  World world;
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.size);
  if (argc != 3) {
    if (world.rank == 0) fmt::print(stderr, "usage: mpirun -n RANKS {} JOB.json OUTCOME.json\n", argv[0]);
    return 2;
  }
  const auto outcome = run_ranks(argv[1], world);
  if (world.rank != 0) return 0;
  if (auto written = write_rank_outcome(outcome, argv[2]); !written) {
    fmt::print(stderr, "{}: {}\n", argv[0], written.error().text());
    return 4;
  }
  return 0;
}

}  // namespace
}  // namespace weir::workload

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = weir::workload::rank_main(argc, argv);
  MPI_Finalize();
  return status;
}
