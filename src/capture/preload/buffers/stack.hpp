#pragma once

#include <cstdint>

#include <pthread.h>

extern "C" void* __libc_stack_end;  // NOLINT(bugprone-reserved-identifier): the loader's

namespace weir::capture {

// How far below the top of the calling thread's stack an address lies; 0 when it is not on it.
inline std::uint64_t depth_on_stack(const void* address) {
  struct Stack {
    std::uintptr_t low = 0;
    std::uintptr_t top = 0;
  };
  static thread_local const Stack stack [[gnu::tls_model("initial-exec")]] = [] {
    Stack found;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return found;
    void* low = nullptr;
    std::size_t bytes = 0;
    if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
      found.low = reinterpret_cast<std::uintptr_t>(low);
      found.top = found.low + bytes;
      // Above it lie arguments and environment, whose length differs from run to run.
      const auto end = reinterpret_cast<std::uintptr_t>(__libc_stack_end);
      if (end > found.low && end < found.top) found.top = end;
    }
    pthread_attr_destroy(&attributes);
    return found;
  }();
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at >= stack.low && at < stack.top ? stack.top - at : 0;
}

}  // namespace weir::capture
