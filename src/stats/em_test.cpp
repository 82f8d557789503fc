#include "stats/em.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "stats/measured_test.hpp"

namespace weir::stats {
namespace {

std::vector<double> draw(const Mixture& mixture, int n, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values;
  for (int i = 0; i < n; ++i) values.push_back(mixture.sample(random));
  return values;
}

Mixture two_modes(Family family) {
  if (family == Family::normal) return {family, {{0.4, {100, 5, 0}}, {0.6, {140, 8, 0}}}};
  if (family == Family::gamma) return {family, {{0.4, {400, 0.25, 0}}, {0.6, {300, 0.5, 0}}}};
  return {family, {{0.4, {4.6, 0.04, 0}}, {0.6, {5, 0.05, 0}}}};
}

double exact_log_likelihood(const Mixture& mixture, const std::vector<double>& values) {
  double sum = 0;
  for (const double x : values) sum += mixture.log_density(x);
  return sum;
}

// Table 7 of Xu et al. (2020), to the digits of an independent fit of the same 900 values; k-means alone ends
// at -1220.483.
TEST(Em, ReproducesThePublishedTwoNormals) {
  const auto values = measured::column("sample_size_example_runs.csv", "throughput_standardised");
  if (values.empty()) GTEST_SKIP() << measured::kAbsent;
  const auto fit = fit_mixture(values, Family::normal, 2);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->log_likelihood, -1216.144, 1e-3);
  EXPECT_NEAR(fit->kmeans_log_likelihood, -1220.483, 0.5);
  EXPECT_TRUE(fit->converged);
  EXPECT_FALSE(fit->floor_hit);
  ASSERT_EQ(fit->mixture.components.size(), 2u);
  const auto& wide = fit->mixture.components[1];  // ascending medians: -0.0664 comes first
  const auto& bulk = fit->mixture.components[0];
  EXPECT_NEAR(wide.weight, 0.03977, 1e-3);
  EXPECT_NEAR(wide.parameters.location, 1.6023, 1e-3);
  EXPECT_NEAR(wide.parameters.scale, 2.3462, 1e-3);
  EXPECT_NEAR(bulk.parameters.location, -0.0664, 1e-3);
  EXPECT_NEAR(bulk.parameters.scale, 0.8376, 1e-3);
}

TEST(Em, FindsTheModesItWasGiven) {
  for (const Family family : kMixtureFamilies) {
    const Mixture truth = two_modes(family);
    const auto fit = fit_mixture(draw(truth, 2000, 3), family, 2);
    ASSERT_TRUE(fit) << name(family);
    EXPECT_TRUE(fit->converged);
    for (std::size_t j = 0; j < 2; ++j) {
      SCOPED_TRACE(name(family));
      const auto& found = fit->mixture.components[j];
      const auto& given = truth.components[j];
      const auto& error = fit->errors[j];
      EXPECT_NEAR(found.weight, given.weight, 4 * error.weight);
      EXPECT_NEAR(found.parameters.location, given.parameters.location, 4 * error.location);
      EXPECT_NEAR(found.parameters.scale, given.parameters.scale, 4 * error.scale);
    }
  }
}

TEST(Em, ReportsTheLogLikelihoodOfTheValuesAsGiven) {
  for (const Family family : kMixtureFamilies) {
    const auto values = draw(two_modes(family), 300, 11);
    for (int k = 1; k <= 4; ++k) {
      const auto fit = fit_mixture(values, family, k);
      ASSERT_TRUE(fit);
      EXPECT_NEAR(fit->log_likelihood, exact_log_likelihood(fit->mixture, values), 1e-7) << name(family) << k;
    }
  }
}

TEST(Em, LogLikelihoodNeverFalls) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const Family family : kMixtureFamilies) {
      auto values = draw(two_modes(family), 120, seed);
      if (seed % 2 == 0)
        for (double& x : values) x = std::round(x / 4) * 4;  // ties
      if (seed % 5 == 0) values.push_back(values[0] * 10);   // an outlier
      const auto fits = fit_mixtures(values, family, 5);
      ASSERT_TRUE(fits);
      for (const auto& fit : *fits) {
        EXPECT_TRUE(std::is_sorted(fit.path.begin(), fit.path.end())) << name(family) << " seed " << seed;
        EXPECT_GE(fit.log_likelihood, fit.kmeans_log_likelihood);
        EXPECT_TRUE(std::isfinite(fit.log_likelihood));
      }
    }
  }
}

// At a maximum no small change of a free parameter may gain.
TEST(Em, EndsAtAMaximum) {
  for (const Family family : kMixtureFamilies) {
    const auto values = draw(two_modes(family), 200, 5);
    const auto fit = fit_mixture(values, family, 2);
    ASSERT_TRUE(fit);
    for (std::size_t j = 0; j < 2; ++j) {
      for (const double step : {-1e-3, 1e-3}) {
        Mixture moved = fit->mixture;
        auto& parameters = moved.components[j].parameters;
        parameters.location += step * fit->errors[j].location;
        EXPECT_LT(exact_log_likelihood(moved, values), fit->log_likelihood + 1e-7) << name(family);
        moved = fit->mixture;
        moved.components[j].parameters.scale += step * fit->errors[j].scale;
        EXPECT_LT(exact_log_likelihood(moved, values), fit->log_likelihood + 1e-7) << name(family);
      }
    }
  }
}

TEST(Em, PermutationChangesNothing) {
  for (const Family family : kMixtureFamilies) {
    auto values = draw(two_modes(family), 150, 9);
    const auto before = fit_mixture(values, family, 3);
    Random random(1);
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
    const auto after = fit_mixture(values, family, 3);
    ASSERT_TRUE(before && after);
    EXPECT_EQ(before->mixture, after->mixture) << name(family);
    EXPECT_EQ(before->log_likelihood, after->log_likelihood) << name(family);
  }
}

TEST(Em, ScalingTheValuesScalesTheFit) {
  constexpr double factor = 1234.5;
  for (const Family family : kMixtureFamilies) {
    auto values = draw(two_modes(family), 150, 13);
    const auto before = fit_mixture(values, family, 2);
    for (double& x : values) x *= factor;
    const auto after = fit_mixture(values, family, 2);
    ASSERT_TRUE(before && after);
    EXPECT_NEAR(after->log_likelihood, before->log_likelihood - 150 * std::log(factor), 1e-6) << name(family);
    for (const double p : {0.01, 0.3, 0.5, 0.99})
      EXPECT_NEAR(after->mixture.quantile(p) / before->mixture.quantile(p) / factor, 1, 1e-6) << name(family);
  }
}

TEST(Em, SeedDecidesAndAnotherSeedOnlyMovesTheSearch) {
  const auto values = draw(two_modes(Family::gamma), 150, 17);
  const auto one = fit_mixture(values, Family::gamma, 4, {.seed = 5});
  const auto same = fit_mixture(values, Family::gamma, 4, {.seed = 5});
  ASSERT_TRUE(one && same);
  EXPECT_EQ(one->mixture, same->mixture);
}

TEST(Em, LadderGivesTheSameFitsAsOneByOne) {
  const auto values = draw(two_modes(Family::weibull), 150, 19);
  const auto ladder = fit_mixtures(values, Family::weibull, 4);
  ASSERT_TRUE(ladder);
  for (int k = 1; k <= 4; ++k)
    EXPECT_EQ(fit_mixture(values, Family::weibull, k)->mixture,
              (*ladder)[static_cast<std::size_t>(k - 1)].mixture);
}

TEST(Em, HoldsTheScaleAtTheFloorOnTies) {
  std::vector<double> values(60, 100.0);
  for (int i = 0; i < 60; ++i) values.push_back(120 + 0.3 * i);
  for (const Family family : kMixtureFamilies) {
    const auto fit = fit_mixture(values, family, 2);
    ASSERT_TRUE(fit) << name(family);
    EXPECT_TRUE(fit->floor_hit) << name(family);
    EXPECT_TRUE(fit->converged) << name(family);
    const auto& spike = fit->mixture.components[0];
    EXPECT_NEAR(spike.weight, 0.5, 1e-4) << name(family);
    const double scale =
        family == Family::gamma ? 1 / std::sqrt(spike.parameters.location) : spike.parameters.scale;
    EXPECT_NEAR(scale, fit->floor, 1e-9 * fit->floor) << name(family);
    EXPECT_TRUE(std::isnan(family == Family::gamma ? fit->errors[0].location : fit->errors[0].scale));
    EXPECT_TRUE(std::isfinite(fit->errors[1].location)) << name(family);
    EXPECT_TRUE(std::is_sorted(fit->path.begin(), fit->path.end()));
  }
}

TEST(Em, SaysWhatIsWrongWithTheValues) {
  const std::vector<double> constant(40, 3.5);
  EXPECT_EQ(fit_mixture(constant, Family::normal, 1).error().text(),
            "all 40 values are equal (3.5): there is no spread to describe");
  EXPECT_FALSE(fit_mixture({}, Family::normal, 1));
  const std::vector<double> few = {1, 2, 3, 4};
  EXPECT_EQ(fit_mixture(few, Family::normal, 2).error().text(),
            "4 values are fewer than the 5 parameters of 2 components");
  EXPECT_EQ(fit_mixtures(few, Family::normal, 5)->size(), 1u);
  const std::vector<double> tied = {1, 1, 1, 1, 2, 2, 2, 2, 2};
  EXPECT_EQ(fit_mixture(tied, Family::normal, 3).error().text(),
            "2 distinct values are fewer than 3 components");
  const std::vector<double> with_zero = {0, 1, 2, 3, 4, 5};
  EXPECT_EQ(fit_mixture(with_zero, Family::gamma, 1).error().text(),
            "gamma needs values above 0; the least is 0");
  const std::vector<double> with_nan = {1, 2, std::numeric_limits<double>::quiet_NaN(), 4};
  EXPECT_EQ(fit_mixture(with_nan, Family::normal, 1).error().text(), "value 3 is nan, not a finite number");
  const std::vector<double> huge = {1, 2, 3, 1e300};
  EXPECT_EQ(fit_mixture(huge, Family::normal, 1).error().text(),
            "value 4 is 1e+300; beyond 1e+150 squares overflow");
  EXPECT_FALSE(fit_mixture(few, Family::normal, 11));
  EXPECT_FALSE(fit_mixture(few, Family::gev, 1));
}

TEST(Em, TakesExtremesOfEveryKind) {
  std::vector<std::vector<double>> samples = {{1, 2, 3, 4, 5, 6, 7, 8},
                                              {1e-100, 1e100, 1, 2, 3},
                                              {1e9, 1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 7},
                                              {1e-6, 1e5, 1.001e5, 1.002e5, 1.003e5, 1.004e5}};
  samples.push_back(draw(two_modes(Family::normal), 150, 21));
  samples.back().push_back(samples.back()[0] + 10 * 20);  // ten standard deviations out
  for (const auto& values : samples) {
    for (const Family family : kMixtureFamilies) {
      const auto fits = fit_mixtures(values, family, 3);
      ASSERT_TRUE(fits) << name(family);
      for (const auto& fit : *fits) {
        EXPECT_TRUE(std::is_sorted(fit.path.begin(), fit.path.end())) << name(family);
        for (const auto& c : fit.mixture.components)
          EXPECT_TRUE(valid(family, c.parameters)) << name(family) << " first value " << values[0];
      }
    }
  }
}

// Inverse of the observed information by finite differences of the exact log-likelihood, for one and two
// normals.
TEST(Em, StandardErrorsOfOneNormalAreTheTextbookOnes) {
  const auto values = draw({Family::normal, {{1, {50, 4, 0}}}}, 400, 23);
  const auto fit = fit_mixture(values, Family::normal, 1);
  ASSERT_TRUE(fit);
  const double sigma = fit->mixture.components[0].parameters.scale;
  EXPECT_NEAR(fit->errors[0].location, sigma / 20, 1e-6);
  EXPECT_NEAR(fit->errors[0].scale, sigma / std::sqrt(800.0), 1e-6);
  EXPECT_NEAR(fit->errors[0].weight, 0, 1e-12);
}

// Spread of refits over many samples against the mean standard error.
TEST(Em, StandardErrorsMatchTheSpreadOfRepeatedFits) {
  for (const Family family : kMixtureFamilies) {
    const Mixture truth = two_modes(family);
    constexpr int repeats = 100;
    double sum[3] = {}, square[3] = {}, stated[3] = {};
    for (std::uint64_t seed = 0; seed < repeats; ++seed) {
      const auto fit = fit_mixture(draw(truth, 400, 1000 + seed), family, 2, {.starts = 2});
      ASSERT_TRUE(fit);
      const auto& c = fit->mixture.components[1];
      const auto& e = fit->errors[1];
      const double value[3] = {c.weight, c.parameters.location, c.parameters.scale};
      const double error[3] = {e.weight, e.location, e.scale};
      for (int i = 0; i < 3; ++i) {
        sum[i] += value[i] / repeats;
        square[i] += value[i] * value[i] / repeats;
        stated[i] += error[i] / repeats;
      }
    }
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(stated[i] / std::sqrt(square[i] - sum[i] * sum[i]), 1, 0.3)
          << name(family) << " parameter " << i;
  }
}

TEST(Em, LargeSamplesEndWhereTheirStandInPointed) {
  const Mixture truth = two_modes(Family::lognormal);
  const auto values = draw(truth, 100000, 29);
  const auto fit = fit_mixture(values, Family::lognormal, 2);
  ASSERT_TRUE(fit);
  EXPECT_TRUE(fit->converged);
  EXPECT_GE(fit->log_likelihood, exact_log_likelihood(truth, values));
  EXPECT_NEAR(fit->mixture.components[0].weight, 0.4, 0.01);
}

}  // namespace
}  // namespace weir::stats
