#include <cmath>

#include "base/check.hpp"
#include "base/clock.hpp"

namespace weir {

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
