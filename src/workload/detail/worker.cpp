#include "workload/detail/worker.hpp"

#include "base/check.hpp"

namespace weir::workload::detail {

#ifndef WEIR_HAVE_URING
Result<std::unique_ptr<Worker>> make_uring_worker(const Task& /*task*/) {
  return Error{Errc::lacking, "this build of Weir has no io_uring"};
}
#endif

Result<std::unique_ptr<Worker>> make_worker(const Task& task) {
  switch (engine_of(task.job)) {
    case Engine::posix:
      return make_posix_worker(task);
    case Engine::stdio:
      return make_stdio_worker(task);
    case Engine::mmap:
      return make_mmap_worker(task);
    case Engine::uring:
      return make_uring_worker(task);
    case Engine::mpiio:
      break;
  }
  WEIR_CHECK(false, "engine mpiio is made by the rank programs");
}

}  // namespace weir::workload::detail
