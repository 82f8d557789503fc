#include "counting_handler.hpp"

#include <cstdlib>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weir {
namespace {

constinit CallCounts private_counts;

// Raw system calls only, and no descriptor stays open: the program must not see a difference.
CallCounts* map_shared(const char* path) {
  const long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return nullptr;
  struct stat seen {};
  void* memory = MAP_FAILED;
  if (fstat(static_cast<int>(fd), &seen) == 0 && seen.st_size == static_cast<off_t>(sizeof(CallCounts)))
    memory = mmap(nullptr, sizeof(CallCounts), PROT_READ | PROT_WRITE, MAP_SHARED, static_cast<int>(fd), 0);
  syscall(SYS_close, fd);
  return memory == MAP_FAILED ? nullptr : static_cast<CallCounts*>(memory);
}

}  // namespace

constinit std::atomic<CallCounts*> CountingHandler::counts_{nullptr};

CallCounts& CountingHandler::start() {
  const char* const path = std::getenv(kCountsVariable);
  CallCounts* made = path != nullptr ? map_shared(path) : nullptr;
  if (made == nullptr) made = &private_counts;
  CallCounts* first = nullptr;
  if (counts_.compare_exchange_strong(first, made)) {
    made->processes.fetch_add(1, std::memory_order_relaxed);
    return *made;
  }
  if (made != &private_counts) munmap(made, sizeof(CallCounts));  // another thread was faster
  return *first;
}

}  // namespace weir
