#include "capture/thread_numbers.hpp"

#include <ctime>

#include "intercept/unchecked.hpp"

namespace weir::capture {

std::int64_t ThreadNumbers::ask(pthread_t thread) {
  // One that detached itself may be gone, with all that is known of it.
  constexpr std::size_t kLookedAt = 1024;
  if (!readable(reinterpret_cast<const void*>(thread), kLookedAt)) return 0;
  clockid_t clock = 0;
  if (pthread_getcpuclockid(thread, &clock) != 0) return 0;
  // The kernel's number of a clock holds that of the thread: clock_getcpuclockid(3) and its kernel's
  // include/linux/posix-timers.h, CPUCLOCK_PID.
  const std::int64_t number = ~(static_cast<std::int64_t>(clock) >> 3);
  return number > 0 ? number : 0;
}

std::int64_t ThreadNumbers::begun(pthread_t thread) {
  const std::int64_t number = ask(thread);
  if (number == 0) return 0;
  for (std::size_t attempt = 0; attempt < kTries; ++attempt) {
    Slot& slot = slots_[place_of(thread, attempt)];
    pthread_t known = slot.thread.load(std::memory_order_acquire);
    if (known == 0 && slot.thread.compare_exchange_strong(known, thread)) known = thread;
    if (known != thread) continue;
    slot.number.store(number, std::memory_order_release);
    break;
  }
  return number;
}

std::int64_t ThreadNumbers::find(pthread_t thread) const {
  for (std::size_t attempt = 0; attempt < kTries; ++attempt) {
    const Slot& slot = slots_[place_of(thread, attempt)];
    const pthread_t known = slot.thread.load(std::memory_order_acquire);
    if (known == thread) return slot.number.load(std::memory_order_acquire);
    if (known == 0) break;
  }
  return 0;
}

void ThreadNumbers::joined(pthread_t thread, std::int64_t number) {
  for (std::size_t attempt = 0; attempt < kTries; ++attempt) {
    Slot& slot = slots_[place_of(thread, attempt)];
    if (slot.thread.load(std::memory_order_acquire) != thread) continue;
    slot.number.compare_exchange_strong(number, 0);  // unless the name has been given again
    return;
  }
}

}  // namespace weir::capture
