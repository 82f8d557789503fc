#pragma once

#include <memory>

#include "base/result.hpp"
#include "workload/detail/lane.hpp"
#include "workload/detail/task.hpp"

namespace weir::workload::detail {

// One worker with its engine and buffers, ready to begin.
class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  virtual ~Worker() = default;

  // Opens, does every operation, syncs, closes: all that is measured.
  virtual Result<void> run(Lane& lane) = 0;
};

// Memory and rings are made here, before the measured time; the storage is not touched.
Result<std::unique_ptr<Worker>> make_worker(const Task& task);

Result<std::unique_ptr<Worker>> make_posix_worker(const Task& task);
Result<std::unique_ptr<Worker>> make_stdio_worker(const Task& task);
Result<std::unique_ptr<Worker>> make_mmap_worker(const Task& task);
Result<std::unique_ptr<Worker>> make_uring_worker(const Task& task);

}  // namespace weir::workload::detail
