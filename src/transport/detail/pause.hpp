#pragma once

#include <sched.h>

namespace weir::transport::detail {

inline void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// One turn of a loop that waits for another thread without sleeping: mostly a pause of the processor, now and
// then the rest of the time slice, since the other may need this very core.
inline void pause_briefly(unsigned turn) {
  if (turn % 16 == 0)
    ::sched_yield();
  else
    pause_processor();
}

}  // namespace weir::transport::detail
