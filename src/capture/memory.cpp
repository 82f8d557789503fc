#include "capture/memory.hpp"

#include <csignal>

#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weir::capture {

void* map_memory(std::size_t bytes) {
  void* const memory = map_inherited(bytes);
  if (memory == nullptr) return nullptr;
  if (syscall(SYS_madvise, memory, bytes, MADV_WIPEONFORK) != 0) {
    unmap_memory(memory, bytes);
    return nullptr;
  }
  return memory;
}

void* map_inherited(std::size_t bytes) {
  void* const memory = reinterpret_cast<void*>(syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE,
                                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  return memory == MAP_FAILED ? nullptr : memory;
}

void unmap_memory(void* memory, std::size_t bytes) { syscall(SYS_munmap, memory, bytes); }

void Lock::take() {
  while (held_.exchange(1, std::memory_order_acquire) != 0) sched_yield();
}

// The system call takes the kernel's 8-byte set; glibc's own wrapper keeps its internal signals out of it.
SignalsBlocked::SignalsBlocked() {
  const std::uint64_t all = ~std::uint64_t{0};
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before_, sizeof before_);
}

SignalsBlocked::~SignalsBlocked() {
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before_, nullptr, sizeof before_);
}

}  // namespace weir::capture
