#include "stats/maxima.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stats/gev.hpp"
#include "stats/plot_points.hpp"
#include "stats/traffic.hpp"

namespace weir::stats {
namespace {

using ::testing::ElementsAre;

std::vector<double> draw(const Parameters& parameters, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values(count);
  for (double& x : values) x = sample(Family::gev, parameters, random);
  return values;
}

TEST(BlockMaxima, TakesTheLargestOfEachFullBlock) {
  const auto blocks = block_maxima(std::vector<double>{1, 5, 2, 7, 3, 4, 9}, 3);
  ASSERT_TRUE(blocks);
  EXPECT_THAT(blocks->maxima, ElementsAre(5, 7));
  EXPECT_EQ(blocks->left_over, 1u);
  EXPECT_FALSE(block_maxima(std::vector<double>{1, 2}, 3));
  EXPECT_FALSE(block_maxima(std::vector<double>{1, 2}, 0));
}

TEST(SlowestOf, ExtremeValueDistributionsKeepTheirShape) {
  for (const double shape : {-0.2, 0.0, 0.25}) {
    const Parameters one{.location = 10, .scale = 2, .shape = shape};
    const Mixture target{Family::gev, {{1.0, one}}};
    const Parameters sixteen = scale_targets(one, 16);
    const SlowestOf slowest = slowest_of(target, 16);
    EXPECT_NEAR(slowest.limit.location, sixteen.location, 1e-8);
    EXPECT_NEAR(slowest.limit.scale, sixteen.scale, 1e-8);
    EXPECT_NEAR(slowest.limit.shape, shape, 1e-5);
    EXPECT_LT(slowest.distance, 1e-5);
    EXPECT_NEAR(slowest.mean, mean(Family::gev, sixteen), 1e-5);
    EXPECT_NEAR(scale_targets(sixteen, 1.0 / 16).location, one.location, 1e-10);
  }
}

TEST(SlowestOf, MaximaOfExponentialTimesGrowByHarmonicSums) {
  // Weibull with scale 1 on the log axis is the exponential distribution: E max = 1 + 1/2 + ... + 1/m.
  const Mixture target{Family::weibull, {{1.0, {.location = 0, .scale = 1}}}};
  const SlowestOf slowest = slowest_of(target, 100);
  EXPECT_NEAR(slowest.mean, 5.187377517639621, 1e-6);
  EXPECT_NEAR(slowest.median, -std::log(1 - std::pow(0.5, 0.01)), 1e-9);
  EXPECT_NEAR(slowest.limit.shape, 0, 0.02);
  const auto growth = slowest_growth(target, 1024);
  ASSERT_EQ(growth.size(), 11u);
  EXPECT_NEAR(growth[10].median - growth[9].median, std::numbers::ln2, 2e-3);  // log m
  EXPECT_LT(growth[10].distance, growth[3].distance);
}

TEST(TrafficFactor, IsFoundAndConstant) {
  const Parameters quiet{.location = 11, .scale = 0.2, .shape = 0.05};
  std::vector<double> loaded = draw(quiet, 400, 2);
  for (double& x : loaded) x *= 1.3;
  const auto traffic = traffic_factor(draw(quiet, 400, 1), loaded);
  ASSERT_TRUE(traffic);
  EXPECT_NEAR(traffic->factor, 1.3, 0.006);
  EXPECT_LT(traffic->low, 1.3);
  EXPECT_GT(traffic->high, 1.3);
  EXPECT_LT(traffic->high - traffic->low, 0.02);
  EXPECT_TRUE(traffic->constant());
  EXPECT_EQ(traffic->blocks.size(), 8u);
}

TEST(TrafficFactor, ADriftAndANoisyFactorAreNoticed) {
  const Parameters quiet{.location = 11, .scale = 0.2, .shape = 0.05};
  std::vector<double> drifting = draw(quiet, 400, 3);
  std::vector<double> noisy = draw(quiet, 400, 4);
  Random random(5);
  for (std::size_t i = 0; i < 400; ++i) {
    drifting[i] *= 1.2 + 0.02 * static_cast<double>(i) / 400;
    noisy[i] *= 1.2 + 0.02 * random.normal();
  }
  const std::vector<double> baseline = draw(quiet, 400, 6);
  EXPECT_LT(traffic_factor(baseline, drifting)->drift_p, 1e-3);
  const auto wide = traffic_factor(baseline, noisy);
  EXPECT_LT(wide->scaling_p, 1e-3);
  EXPECT_FALSE(wide->constant());
}

TEST(TrafficFactor, FalseAlarmsStayNearFivePercent) {
  const Parameters quiet{.location = 11, .scale = 0.2, .shape = 0};
  int rejected = 0;
  int covered = 0;
  constexpr std::uint64_t kRepeats = 120;
  for (std::uint64_t i = 0; i < kRepeats; ++i) {
    const std::uint64_t seed = 1000 + 2 * i;
    const auto traffic = traffic_factor(draw(quiet, 200, seed), draw(quiet, 200, seed + 1));
    ASSERT_TRUE(traffic);
    rejected += traffic->constant() ? 0 : 1;
    covered += traffic->low < 1 && traffic->high > 1 ? 1 : 0;
  }
  EXPECT_LE(rejected, 14);  // 6 expected; beyond 14 has probability under 0.002
  EXPECT_GE(covered, 105);  // 114 expected; fewer than 105 has probability under 0.001
}

TEST(PlotPoints, BandsHoldNineteenOfTwentyPoints) {
  const Parameters truth{.location = 11, .scale = 0.2, .shape = 0};
  const std::vector<double> values = draw(truth, 400, 8);
  const PlotPoints plain = plot_points(values, Mixture{Family::gev, {{1.0, truth}}});
  EXPECT_EQ(plain.checked, 400u);
  EXPECT_EQ(plain.ecdf.size(), 400u);
  EXPECT_EQ(plain.curve.size(), 200u);
  EXPECT_LT(plain.outside.size(), 100u);  // neighbours stray together: 20 on average, but in clumps
  PlotOptions options;
  options.repeats = 300;
  std::size_t outside = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const std::vector<double> drawn = draw(truth, 200, 50 + seed);
    outside += plot_points(drawn, *fit_gev(drawn), options).outside.size();
  }
  EXPECT_NEAR(static_cast<double>(outside) / 2000, 0.05, 0.04);
}

TEST(PlotPoints, AnOutlierIsListed) {
  std::vector<double> values = draw({.location = 11, .scale = 0.2, .shape = 0}, 400, 9);
  const GevFit fit = *fit_gev(values);
  values[17] = 16;
  const PlotPoints points = plot_points(values, Mixture{Family::gev, {{1.0, fit.parameters}}});
  ASSERT_FALSE(points.outside.empty());
  EXPECT_EQ(points.outside.back().observed, 16);
  EXPECT_EQ(points.outside.back().rank, 400u);
}

TEST(PlotPoints, LongSamplesAreThinnedDenselyAtTheEnds) {
  const std::vector<double> values = draw({.location = 0, .scale = 1, .shape = 0}, 100000, 10);
  const PlotPoints points = plot_points(values, Mixture{Family::gumbel, {{1.0, {}}}});
  EXPECT_LE(points.ecdf.size(), 500u);
  EXPECT_EQ(points.ecdf.back().share, 1);
  EXPECT_EQ(points.quantiles.front().rank, 1u);
  EXPECT_LT(points.quantiles[1].rank, 10u);
}

}  // namespace
}  // namespace weir::stats
