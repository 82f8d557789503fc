#include "base/clock.hpp"

#include <cmath>
#include <fstream>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/check.hpp"

namespace weir {
namespace {

#if defined(__x86_64__)
// CPUID 8000_0007h EDX bit 8: the counter is invariant. The kernel further checks it across sockets and
// under hypervisors, and drops it as its own clock source when it fails.
bool tsc_is_good() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0x80000007, &a, &b, &c, &d) == 0 || (d & (1u << 8)) == 0) return false;
  std::ifstream sources("/sys/devices/system/clocksource/clocksource0/available_clocksource");
  for (std::string name; sources >> name;)
    if (name == "tsc") return true;
  return false;
}
#endif

}  // namespace

#if defined(__x86_64__)
const bool Clock::counter_is_good_ = tsc_is_good();
const char* Clock::source() { return counter_is_good_ ? "tsc" : "monotonic"; }
#elif defined(__aarch64__)
const bool Clock::counter_is_good_ = true;
const char* Clock::source() { return "cntvct"; }
#else
const bool Clock::counter_is_good_ = false;
const char* Clock::source() { return "monotonic"; }
#endif

Calibration::Reading Calibration::Reading::take() {
  Reading best{};
  std::uint64_t tightest = ~std::uint64_t{0};
  for (int attempt = 0; attempt < 9; ++attempt) {
    const Tick before = Clock::now();
    const Nanoseconds time = Clock::monotonic();
    const Tick after = Clock::now();
    if (after.count - before.count < tightest) {
      tightest = after.count - before.count;
      best = {Tick(before.count + tightest / 2), time};
    }
  }
  return best;
}

Calibration Calibration::between(const Reading& first, const Reading& second) {
  WEIR_CHECK(second.tick > first.tick && second.monotonic > first.monotonic, "readings out of order");
  Calibration calibration;
  calibration.origin_ = first;
  calibration.nanoseconds_per_tick_ = static_cast<double>((second.monotonic - first.monotonic).count) /
                                      static_cast<double>((second.tick - first.tick).count);
  return calibration;
}

Calibration Calibration::measure(Nanoseconds for_at_least) {
  const Reading first = Reading::take();
  Reading second = Reading::take();
  while (second.monotonic - first.monotonic < for_at_least || second.tick == first.tick)
    second = Reading::take();
  return between(first, second);
}

Nanoseconds Calibration::duration(Tick from, Tick to) const {
  const auto ticks = static_cast<std::int64_t>(to.count - from.count);
  return Nanoseconds(std::llround(static_cast<double>(ticks) * nanoseconds_per_tick_));
}

Nanoseconds Calibration::to_monotonic(Tick tick) const {
  return origin_.monotonic + duration(origin_.tick, tick);
}

}  // namespace weir
