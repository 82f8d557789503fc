#pragma once

#include <chrono>

#include <sched.h>

namespace weir::transport::detail {

inline void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Leaves the core to whoever else wants it, maybe the one that is waited for, and says for how long: half a
// microsecond if nobody did.
inline std::chrono::nanoseconds lend_core() {
  const auto begin = std::chrono::steady_clock::now();
  ::sched_yield();
  return std::chrono::steady_clock::now() - begin;
}

}  // namespace weir::transport::detail
