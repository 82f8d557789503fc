#include "campaign/detail/ranks.hpp"

#include <fmt/format.h>

#include "base/scratch_dir.hpp"
#include "launch/mpi_choice.hpp"
#include "launch/process.hpp"
#include "workload/rank.hpp"

namespace weir::campaign::detail {
namespace {

// A run of MPI ranks that takes longer hangs: a batch job's own limit is usually near.
constexpr Nanoseconds kLongest(std::int64_t{3600} * 1'000'000'000);

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  if (end == std::string::npos) return "nothing was said";
  const std::size_t begin = text.find_last_of('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

}  // namespace

Result<workload::Outcome> run_ranks(const workload::Job& job, const RunOptions& options) {
  const workload::Mpi mpi = options.mpi == "mpich" ? workload::Mpi::mpich : workload::Mpi::openmpi;
  const auto program = workload::find_rank_program(mpi);
  if (!program) return program.error();
  const ScratchDir scratch;
  const auto job_file = scratch.path() / "job.json";
  const auto outcome_file = scratch.path() / "outcome.json";
  if (const auto written = workload::write_rank_job(job, job_file); !written) return written.error();
  const auto command = workload::rank_command(
      options.launcher.empty() ? launch::launcher_of(workload::name(mpi)) : options.launcher, *program, job,
      job_file, outcome_file);
  const auto ended = launch::run_and_capture(command, kLongest);
  if (!ended) return ended.error().in(command.front());
  auto outcome = workload::read_rank_outcome(outcome_file);
  if (!outcome && ended->status != 0 && outcome.error().code() == Errc::not_found)
    return Error{Errc::io, fmt::format("ended with {}: {}", ended->status, last_line(ended->output))}.in(
        command.front());
  return outcome;
}

}  // namespace weir::campaign::detail
