#include "base/clock.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Clock, NeverRunsBackwards) {
  Tick last = Clock::now();
  for (int i = 0; i < 100000; ++i) {
    const Tick now = Clock::now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(Calibration, TicksFollowTheMonotonicClock) {
  const Calibration calibration = Calibration::measure(Nanoseconds(5'000'000));
  const auto later = Calibration::Reading::take();
  const double error = static_cast<double>((calibration.to_monotonic(later.tick) - later.monotonic).count);
  EXPECT_LT(std::abs(error), 1e6);  // a millisecond: the test runs on busy machines
}

TEST(Calibration, IsTheLineThroughItsReadings) {
  const Calibration::Reading first{Tick(1000), Nanoseconds(500)};
  const Calibration::Reading second{Tick(4000), Nanoseconds(1500)};
  const Calibration calibration = Calibration::between(first, second);
  EXPECT_EQ(calibration.to_monotonic(Tick(2500)), Nanoseconds(1000));
  EXPECT_EQ(calibration.duration(Tick(4000), Tick(1000)), Nanoseconds(-1000));
  EXPECT_DOUBLE_EQ(calibration.nanoseconds_per_tick(), 1.0 / 3);
}

TEST(CalibrationDeathTest, ReadingsOutOfOrderAreAFault) {
  const Calibration::Reading one{Tick(1000), Nanoseconds(500)};
  EXPECT_DEATH(Calibration::between(one, one), "readings out of order");
}

}  // namespace
}  // namespace weir
