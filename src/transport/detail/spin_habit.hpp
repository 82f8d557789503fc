#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>

namespace weir::transport::detail {

// Whether to spin before sleeping. Who shares its core with the one it waits for keeps it from coming by
// spinning, and yielding does not help when they are of different sessions or control groups. It shows in
// this: spinning was in vain, and the event came right after falling asleep. Then the next waits begin with
// sleeping, more of them each time, and now and then one tries again. Any thread; a race costs one wait.
class SpinHabit {
 public:
  static constexpr std::chrono::microseconds kRightAfter{50};

  // Asked once a wait.
  bool worth() {
    const unsigned left = left_out_.load(std::memory_order_relaxed);
    if (left == 0) return true;
    left_out_.store(left - 1, std::memory_order_relaxed);
    return false;
  }
  void found() {
    if (next_.load(std::memory_order_relaxed) != kFew) next_.store(kFew, std::memory_order_relaxed);
  }
  void in_vain(std::chrono::nanoseconds slept) {
    if (slept > kRightAfter) return;
    const unsigned next = next_.load(std::memory_order_relaxed);
    left_out_.store(next, std::memory_order_relaxed);
    next_.store(std::min(2 * next, kMany), std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned kFew = 4;
  static constexpr unsigned kMany = 128;
  std::atomic<unsigned> left_out_ = 0;
  std::atomic<unsigned> next_ = kFew;
};

}  // namespace weir::transport::detail
