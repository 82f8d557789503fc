#pragma once

#include "campaign/runner.hpp"
#include "campaign/store.hpp"
#include "workload/job.hpp"

namespace weir::campaign::detail {

// Runs a job while the monitors watch, and judges it. What fails is a row that says why.
RunRow measure(const workload::Job& job, const RunOptions& options);

}  // namespace weir::campaign::detail
