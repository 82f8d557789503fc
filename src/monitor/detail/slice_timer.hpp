#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "base/units.hpp"

namespace weir::monitor::detail {

// Wakes at whole multiples of a slice since 1970, so that the slices of different machines coincide as far as
// their clocks do. A timer of the kernel on the wall clock: it does not drift, and tells when the clock is
// set.
class SliceTimer {
 public:
  static Result<SliceTimer> create(Nanoseconds slice);

  enum class Woke { slice, clock_set, stopped };
  // Waits for the next slice to end, or stop(). After a jump of the clock the timer is at its new time.
  Woke wait();
  // Callable from another thread.
  void stop();

  static std::int64_t begin_of(std::int64_t time_ns, Nanoseconds slice) {
    return time_ns - time_ns % slice.count;
  }

 private:
  SliceTimer(Nanoseconds slice, UniqueFd timer, UniqueFd stop)
      : slice_(slice), timer_(std::move(timer)), stop_(std::move(stop)) {}
  bool arm();

  Nanoseconds slice_;
  UniqueFd timer_, stop_;
};

}  // namespace weir::monitor::detail
