#pragma once

#include <ctime>

#include "base/units.hpp"

namespace weir {

// A reading of the processor's own counter, or of CLOCK_MONOTONIC where that counter cannot be trusted.
using Tick = Quantity<struct TickTag, std::uint64_t>;

// The fastest monotonic clock of this machine, a few nanoseconds a reading. Ticks become time through a
// Calibration; readings of different machines do not compare.
class Clock {
 public:
  static Tick now() {
#if defined(__x86_64__)
    if (counter_is_good_) return Tick(__builtin_ia32_rdtsc());
#elif defined(__aarch64__)
    std::uint64_t count;
    asm volatile("mrs %0, cntvct_el0" : "=r"(count));
    return Tick(count);
#endif
    return Tick(static_cast<std::uint64_t>(monotonic().count));
  }

  static Nanoseconds monotonic() { return read(CLOCK_MONOTONIC); }
  static Nanoseconds wall() { return read(CLOCK_REALTIME); }  // since 1970

  // Whether now() reads the processor's counter ("tsc", "cntvct") or the kernel's clock ("monotonic").
  static const char* source();
  // Happens by itself before main; who reads the clock in an earlier constructor calls it first.
  static void choose_source();

 private:
  static Nanoseconds read(clockid_t id) {
    timespec time{};
    ::clock_gettime(id, &time);
    return Nanoseconds(time.tv_sec * 1'000'000'000 + time.tv_nsec);
  }
  // Set before main: the counter runs at one rate on all cores, in all power states, and the kernel uses it.
  static bool counter_is_good_;
};

// The line through two readings of Clock and of CLOCK_MONOTONIC taken together: ticks to nanoseconds and
// back. The further apart the readings, the better the slope; measure() waits `for_at_least` between them.
class Calibration {
 public:
  struct Reading {
    Tick tick;
    Nanoseconds monotonic;
    static Reading take();  // the tightest of several tries, so that an interruption does not show
  };

  static Calibration between(const Reading& first, const Reading& second);
  static Calibration measure(Nanoseconds for_at_least = Nanoseconds(2'000'000));

  Nanoseconds to_monotonic(Tick tick) const;       // on CLOCK_MONOTONIC's scale
  Nanoseconds duration(Tick from, Tick to) const;  // may be negative
  double nanoseconds_per_tick() const { return nanoseconds_per_tick_; }

 private:
  Reading origin_;
  double nanoseconds_per_tick_ = 1;
};

}  // namespace weir
