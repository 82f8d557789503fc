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
  // It came while spinning.
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

// Whether others want the core: so many waits one after the other in which it was lent met some. Any thread.
class CoreHabit {
 public:
  static constexpr unsigned kOften = 3;  // once may have been an interrupt

  void lent(bool alone) {
    const unsigned before = losses_.load(std::memory_order_relaxed);
    const unsigned losses = alone ? 0 : std::min(before + 1, kOften);
    if (losses != before) losses_.store(losses, std::memory_order_relaxed);
  }
  bool is_crowded() const { return losses_.load(std::memory_order_relaxed) == kOften; }

 private:
  std::atomic<unsigned> losses_ = 0;  // one after the other
};

}  // namespace weir::transport::detail
