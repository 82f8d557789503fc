#pragma once

#include "base/result.hpp"
#include "campaign/runner.hpp"
#include "workload/job.hpp"
#include "workload/run.hpp"

namespace weir::campaign::detail {

// Runs a job of MPI ranks through the site's launcher and one of the programs weir-rank-*.
Result<workload::Outcome> run_ranks(const workload::Job& job, const RunOptions& options);

}  // namespace weir::campaign::detail
