#include "interference/degradation.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace weir::interference {
namespace {

// The source's Table 2, aggregate-write on open-write-close: 28.4 GB/s alone, 9.6 beside it, 66.2 % lost.
TEST(Degradation, IsTheSourcesFormula) {
  const std::vector<double> alone = {28.4}, beside = {9.6};
  const auto loss = degradation(alone, beside);
  EXPECT_NEAR(loss.percent, 66.2, 0.01);
  EXPECT_NEAR(loss.best_of_five, 66.2, 0.01);
  EXPECT_TRUE(std::isinf(loss.low)) << "one run has no interval";
  EXPECT_EQ(loss.alone, 1U);
}

TEST(Degradation, BestOfFiveLooksAtTheFirstFiveOnly) {
  const std::vector<double> alone = {10, 12, 11, 10, 9, 100}, beside = {5, 6, 4, 3, 2, 100};
  EXPECT_DOUBLE_EQ(degradation(alone, beside).best_of_five, 50);
}

// Nine runs: the median lies between the least and the greatest with 1 - 2/2^9 > 97.5 %; (2nd, 8th) have 96.1
// %.
TEST(Degradation, NineRunsGiveAnIntervalFromTheirExtremes) {
  std::vector<double> alone, beside;
  for (int i = 0; i < 9; ++i) {
    alone.push_back(100 + i);
    beside.push_back(40 + i);
  }
  const auto loss = degradation(alone, beside);
  EXPECT_NEAR(loss.percent, 100.0 * (104 - 44) / 104, 1e-9);
  EXPECT_NEAR(loss.low, 100.0 * (100 - 48) / 100, 1e-9);
  EXPECT_NEAR(loss.high, 100.0 * (108 - 40) / 108, 1e-9);
  std::ranges::reverse(alone);
  EXPECT_DOUBLE_EQ(degradation(alone, beside).low, loss.low) << "the order matters to best of five only";
}

TEST(Degradation, FewerThanNineRunsHaveNoInterval) {
  const std::vector<double> nine = {10, 11, 12, 13, 14, 15, 16, 17, 18}, eight(nine.begin(), nine.end() - 1);
  const auto few_alone = degradation(eight, nine), few_beside = degradation(nine, eight);
  for (const auto& loss : {few_alone, few_beside}) {
    EXPECT_TRUE(std::isfinite(loss.percent));
    EXPECT_TRUE(std::isinf(loss.low));
    EXPECT_TRUE(std::isinf(loss.high));
  }
  EXPECT_TRUE(std::isfinite(degradation(nine, nine).low));
}

TEST(Degradation, NoRunsNoNumber) {
  const std::vector<double> some = {1, 2};
  EXPECT_TRUE(std::isnan(degradation({}, some).percent));
  EXPECT_TRUE(std::isnan(degradation(some, {}).percent));
  const std::vector<double> nothing = {0, 0};
  EXPECT_TRUE(std::isnan(degradation(nothing, some).percent));
}

// Skewed rates, true medians known: the interval must hold the true loss in at least 95 % of the cases.
TEST(Degradation, TheIntervalHoldsWhatItPromises) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> alone_rate(std::log(100), 0.3), beside_rate(std::log(40), 0.5);
  int held = 0;
  constexpr int kTimes = 2000;
  for (int i = 0; i < kTimes; ++i) {
    std::vector<double> alone, beside;
    for (int k = 0; k < 9; ++k) {
      alone.push_back(alone_rate(random));
      beside.push_back(beside_rate(random));
    }
    const auto loss = degradation(alone, beside);
    held += loss.low <= 60 && 60 <= loss.high ? 1 : 0;
  }
  EXPECT_GE(held, kTimes * 95 / 100);
}

TEST(Degradation, VariationIsOfTheMean) {
  const std::vector<double> values = {9, 10, 11};
  EXPECT_NEAR(variation_percent(values), 10, 1e-9);
  EXPECT_TRUE(std::isnan(variation_percent(std::vector<double>{1})));
}

TEST(Degradation, MediansOfFewAndOfNone) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Degradation, SerialisedPairsAreTold) {
  EXPECT_TRUE(serialises(97, 3));
  EXPECT_TRUE(serialises(-2, 95));
  EXPECT_FALSE(serialises(50, 50));
  EXPECT_FALSE(serialises(95, 60)) << "both suffer";
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(serialises(kUnknown, 95));
  EXPECT_FALSE(serialises(3, kUnknown));
}

}  // namespace
}  // namespace weir::interference
