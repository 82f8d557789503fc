#include "stats/mixture.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace weir::stats {
namespace {

// Two modes and a far, rare one, in each family.
Mixture example(Family family) {
  Mixture mixture;
  mixture.family = family;
  if (family == Family::normal)
    mixture.components = {{0.3, {10, 1, 0}}, {0.69, {20, 0.1, 0}}, {0.01, {200, 5, 0}}};
  else if (family == Family::gamma)
    mixture.components = {{0.3, {100, 0.1, 0}}, {0.69, {40000, 0.0005, 0}}, {0.01, {1600, 0.125, 0}}};
  else
    mixture.components = {{0.3, {2.3, 0.1, 0}}, {0.69, {3, 0.005, 0}}, {0.01, {5.3, 0.02, 0}}};
  return mixture;
}

TEST(Mixture, QuantileInvertsCdfInBothTails) {
  for (const Family family : kMixtureFamilies) {
    const Mixture mixture = example(family);
    for (const double p : {1e-10, 1e-4, 0.1, 0.29, 0.3, 0.31, 0.5}) {
      const double low = mixture.quantile(p);
      EXPECT_NEAR(mixture.cdf(low) / p, 1, 1e-8) << name(family) << " " << p;
      const double high = mixture.upper_quantile(p);
      EXPECT_NEAR(mixture.survival(high) / p, 1, 1e-8) << name(family) << " " << p;
      EXPECT_NEAR(mixture.quantile(1 - p) / high, 1, 1e-4) << name(family) << " " << p;
    }
    EXPECT_EQ(mixture.quantile(1), std::numeric_limits<double>::infinity());
    EXPECT_EQ(mixture.quantile(0), positive_only(family) ? 0 : -std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(mixture.quantile(-0.1)));
  }
}

TEST(Mixture, LogDensityStaysFiniteWhereDensitiesUnderflow) {
  const Mixture mixture{Family::normal, {{0.5, {0, 1, 0}}, {0.5, {1, 1, 0}}}};
  EXPECT_EQ(mixture.density(100), 0);
  // The nearer component alone: log 0.5 - 99²/2 - log sqrt(2π).
  EXPECT_NEAR(mixture.log_density(100), std::log(0.5) - 0.5 * 99 * 99 - 0.91893853320467274, 1e-9);
}

TEST(Mixture, SamplesFollowTheMixture) {
  constexpr std::uint64_t seed = 7;
  for (const Family family : kMixtureFamilies) {
    const Mixture mixture = example(family);
    Random random(seed);
    constexpr int n = 20000;
    double below = 0, sum = 0;
    const double at = mixture.quantile(0.4);
    for (int i = 0; i < n; ++i) {
      const double x = mixture.sample(random);
      below += x <= at;
      sum += x;
    }
    EXPECT_NEAR(below / n, 0.4, 4 * std::sqrt(0.24 / n)) << name(family) << " seed " << seed;
    EXPECT_NEAR(sum / n, mixture.mean(), 4 * std::sqrt(mixture.variance() / n))
        << name(family) << " seed " << seed;
  }
}

TEST(Mixture, CountsThreeParametersPerComponentLessOne) {
  EXPECT_EQ(example(Family::normal).parameter_count(), 8);
  EXPECT_EQ((Mixture{Family::gev, {{1, {0, 1, 0.1}}}}).parameter_count(), 3);
}

TEST(Mixture, ResponsibilitiesAddUpToOne) {
  const Mixture mixture = example(Family::normal);
  for (const double x : {8.0, 15.0, 20.0, 500.0}) {
    const auto shares = mixture.responsibilities(x);
    EXPECT_NEAR(shares[0] + shares[1] + shares[2], 1, 1e-12);
  }
}

}  // namespace
}  // namespace weir::stats
