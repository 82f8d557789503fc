#pragma once

#include <memory>

#include "base/result.hpp"
#include "workload/detail/worker.hpp"

namespace weir::workload::detail {

// A worker that moves its records through MPI-IO.
Result<std::unique_ptr<Worker>> make_mpiio_worker(const Task& task);

}  // namespace weir::workload::detail
