#include "study/gain.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace weir::study {
namespace {

TEST(Gain, IsTheRatioOfMedians) {
  const std::vector<double> before = {4.0, 4.2, 3.8, 4.1, 3.9, 4.0, 4.05, 3.95};
  const std::vector<double> after = {2.0, 2.1, 1.9, 2.05, 1.95, 2.0, 2.0, 2.0};
  const Gain gain = gain_of(before, after);
  EXPECT_DOUBLE_EQ(gain.factor, 2.0);
  EXPECT_LT(gain.low, 2.0);
  EXPECT_GT(gain.low, 1.8);
  EXPECT_GT(gain.high, 2.0);
  EXPECT_LT(gain.high, 2.2);
  EXPECT_LT(gain.p, 0.01);
  const Gain same = gain_of(before, after);
  EXPECT_EQ(gain.low, same.low) << "the same seed gives the same bits";
  const Gain back = gain_of(after, before);
  EXPECT_DOUBLE_EQ(back.factor, 0.5);
}

TEST(Gain, OfTheSameTimesIsNone) {
  const std::vector<double> times = {1, 2, 3, 4, 5, 6, 7};
  const Gain gain = gain_of(times, times);
  EXPECT_DOUBLE_EQ(gain.factor, 1);
  EXPECT_LT(gain.low, 1);
  EXPECT_GT(gain.high, 1);
  EXPECT_GT(gain.p, 0.2);
}

TEST(Level, OfFewRunsHasNoInterval) {
  const Level level = level_of(std::vector<double>{3, 1, 2});
  EXPECT_EQ(level.n, 3U);
  EXPECT_DOUBLE_EQ(level.median, 2);
  EXPECT_DOUBLE_EQ(level.least, 1);
  EXPECT_DOUBLE_EQ(level.most, 3);
  EXPECT_TRUE(std::isinf(level.low) && std::isinf(level.high));
  EXPECT_EQ(level_of({}).n, 0U);
}

}  // namespace
}  // namespace weir::study
