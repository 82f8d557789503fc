#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.hpp"
#include "base/result.hpp"
#include "workload/job.hpp"
#include "workload/run.hpp"

// Jobs with Workers::mpi: a caller writes the job into a file, lets an MPI launcher start one of the programs
// below with job.count ranks, and reads the outcome from another file.
//
//   mpirun -n 4 weir-rank-openmpi job.json outcome.json
namespace weir::workload {

enum class Mpi { openmpi, mpich };
std::string_view name(Mpi mpi);  // "openmpi"

// The program built for that MPI.
Result<std::filesystem::path> find_rank_program(Mpi mpi);

// The whole command line. `launcher` is as a user would write it ("srun -N 2 -n {}"), "{}" standing for the
// number of ranks; without "{}", "-n COUNT" is added.
std::vector<std::string> rank_command(const std::vector<std::string>& launcher,
                                      const std::filesystem::path& program, const Job& job,
                                      const std::filesystem::path& job_file,
                                      const std::filesystem::path& outcome_file);

Result<void> write_rank_job(const Job& job, const std::filesystem::path& file);
Result<Job> read_rank_job(const std::filesystem::path& file);

// What rank 0 writes: the outcome, or {"error": {"code", "context", "message", "remedy"}}.
Result<void> write_rank_outcome(const Result<Outcome>& outcome, const std::filesystem::path& file);
// The error the ranks met, or that the file is not there or not theirs.
Result<Outcome> read_rank_outcome(const std::filesystem::path& file);

}  // namespace weir::workload
