#include "capture/thread_numbers.hpp"

#include <ctime>

#include "intercept/unchecked.hpp"

namespace weir::capture {
namespace {

// Beside a number that the thread's maker has been told.
constexpr std::int64_t kOfMaker = std::int64_t{1} << 62;

}  // namespace

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

// The C library tells the number of no thread that has ended. What such a thread said of itself counts for
// its maker, once: the next of that name would be another.
std::int64_t ThreadNumbers::begun(pthread_t thread) {
  const bool by_itself = pthread_equal(thread, pthread_self()) != 0;
  const std::int64_t asked = ask(thread);
  if (by_itself && asked == 0) return 0;
  for (std::size_t attempt = 0; attempt < kTries; ++attempt) {
    Slot& slot = slots_[place_of(thread, attempt)];
    pthread_t known = slot.thread.load(std::memory_order_acquire);
    if (known == 0 && asked == 0) return 0;
    if (known == 0 && slot.thread.compare_exchange_strong(known, thread)) known = thread;
    if (known != thread) continue;
    std::int64_t number = slot.number.load(std::memory_order_acquire);
    if (asked == 0) {
      if (number == 0 || (number & kOfMaker) != 0) return 0;
      return slot.number.compare_exchange_strong(number, number | kOfMaker) ? number : 0;
    }
    // Whoever of the two comes second changes nothing that the first has said.
    while (!(by_itself && (number & ~kOfMaker) == asked) &&
           !slot.number.compare_exchange_weak(number, by_itself ? asked : asked | kOfMaker)) {
    }
    return asked;
  }
  return asked;
}

std::int64_t ThreadNumbers::find(pthread_t thread) const {
  for (std::size_t attempt = 0; attempt < kTries; ++attempt) {
    const Slot& slot = slots_[place_of(thread, attempt)];
    const pthread_t known = slot.thread.load(std::memory_order_acquire);
    if (known == thread) return slot.number.load(std::memory_order_acquire) & ~kOfMaker;
    if (known == 0) break;
  }
  return 0;
}

void ThreadNumbers::joined(pthread_t thread, std::int64_t number) {
  for (std::size_t attempt = 0; attempt < kTries; ++attempt) {
    Slot& slot = slots_[place_of(thread, attempt)];
    if (slot.thread.load(std::memory_order_acquire) != thread) continue;
    // Unless the name has been given again.
    std::int64_t said = number;
    if (slot.number.compare_exchange_strong(said, 0)) return;
    said = number | kOfMaker;
    slot.number.compare_exchange_strong(said, 0);
    return;
  }
}

}  // namespace weir::capture
