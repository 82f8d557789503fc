#include "capture/library_threads.hpp"

#include <cstdint>
#include <cstdlib>

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weir::capture {

// By system calls alone: opendir() allocates, and would be recorded.
void LibraryThreads::list(Threads& threads) {
  std::size_t count = 0;
  const long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    alignas(dirent64) char buffer[4096];
    for (long got = 0; (got = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0;) {
      for (long at = 0; at < got;) {
        const auto* const entry = reinterpret_cast<const dirent64*>(buffer + at);
        at += entry->d_reclen;
        const long thread = std::strtol(entry->d_name, nullptr, 10);
        if (thread > 0 && count < kMost) threads[count++] = static_cast<pid_t>(thread);
      }
    }
    syscall(SYS_close, fd);
  }
  for (; count < kMost; ++count) threads[count] = 0;
}

bool LibraryThreads::is_in(const Threads& threads, pid_t thread) {
  for (const auto& one : threads) {
    const pid_t known = one.load(std::memory_order_relaxed);
    if (known == thread) return true;
    if (known == 0) return false;
  }
  return false;
}

void LibraryThreads::begin() {
  list(before_);
  starter_.store(static_cast<pid_t>(syscall(SYS_gettid)), std::memory_order_release);
}

void LibraryThreads::end() {
  Threads now{};
  list(now);
  std::size_t count = 0;
  for (const auto& one : now) {
    const pid_t thread = one.load(std::memory_order_relaxed);
    if (thread == 0) break;
    if (!is_in(before_, thread)) own_[count++] = thread;
  }
  starter_.store(0, std::memory_order_release);
}

bool LibraryThreads::has(pid_t thread) const {
  const pid_t starter = starter_.load(std::memory_order_acquire);
  if (starter != 0 && starter != thread) return !is_in(before_, thread);
  return is_in(own_, thread);
}

}  // namespace weir::capture
