#pragma once

#include <sched.h>

namespace weir::transport::detail {

// One turn of a loop that waits for another thread without sleeping: mostly a pause of the processor, now and
// then the rest of the time slice, since the other may need this very core.
inline void pause_briefly(unsigned turn) {
  if (turn % 16 == 0) {
    ::sched_yield();
    return;
  }
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace weir::transport::detail
