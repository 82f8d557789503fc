#include "stats/sample_size.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <boost/math/special_functions/trigamma.hpp>
#include <gtest/gtest.h>

#include "stats/detail/information.hpp"
#include "stats/em.hpp"
#include "stats/sample_file.hpp"
#include "stats/selection.hpp"

namespace weir::stats {
namespace {

const std::string kData = WEIR_SOURCE_DIR "/../shared/data/";

// Table 7 of Xu et al. with the digits of the data's README.
const Mixture kTableSeven{
    Family::normal,
    {{0.03977, {.location = 1.6023, .scale = 2.3462}}, {0.96023, {.location = -0.0664, .scale = 0.8376}}}};

std::vector<double> draw(const Mixture& mixture, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values(count);
  for (double& x : values) x = mixture.sample(random);
  return values;
}

TEST(QuantileError, OfOneNormalIsTheTextbookFormula) {
  // var(x_q) = σ²(1 + z_q²/2)/n.
  const Mixture normal{Family::normal, {{1.0, {.location = 100, .scale = 5}}}};
  const auto errors = quantile_errors(normal, std::vector<double>{0.1, 0.5, 0.9});
  ASSERT_TRUE(errors);
  const double z = 1.2815515655446004;
  EXPECT_NEAR((*errors)[0].unit_error, 5 * std::sqrt(1 + z * z / 2), 1e-7);
  EXPECT_NEAR((*errors)[1].unit_error, 5, 1e-7);
  EXPECT_NEAR((*errors)[2].unit_error, 5 * std::sqrt(1 + z * z / 2), 1e-7);
}

TEST(QuantileError, OfOneGumbelIsTheTextbookFormula) {
  // I = 1/σ² [[1, -(1-γ)], [-(1-γ), π²/6 + (1-γ)²]] with γ Euler's constant.
  const Mixture gumbel{Family::gumbel, {{1.0, {.location = 3, .scale = 2}}}};
  const auto information = detail::expected_information(gumbel);
  ASSERT_TRUE(information);
  EXPECT_NEAR((*information)(0, 0), 0.25, 1e-9);
  EXPECT_NEAR((*information)(0, 1), -0.25 * (1 - 0.5772156649015329), 1e-9);
  EXPECT_NEAR((*information)(1, 1), 0.25 * (1.6449340668482264 + 0.1787465739636), 1e-8);
}

TEST(QuantileError, OfOneGammaIsTheTextbookFormula) {
  // I = [[ψ'(a), 1/σ], [1/σ, a/σ²]]. Below shape 1 much of it is at values that are nothing beside the mean.
  for (const double a : {0.3, 0.5, 0.7, 2.0, 50.0}) {
    const Mixture gamma{Family::gamma, {{1.0, {.location = a, .scale = 2}}}};
    const auto information = detail::expected_information(gamma);
    ASSERT_TRUE(information) << a;
    const double first = boost::math::trigamma(a);
    EXPECT_NEAR((*information)(0, 0), first, 1e-4 * first) << a;
    EXPECT_NEAR((*information)(0, 1), 0.5, 1e-4) << a;
    EXPECT_NEAR((*information)(1, 1), a / 4, 1e-4 * a) << a;
    EXPECT_TRUE(quantile_errors(gamma, std::vector<double>{0.5, 0.9})) << a;
  }
}

TEST(SampleSize, ThreeRunsOrdersOfMagnitudeApartHaveAPlan) {
  // Times of three short runs on a busy machine; the best family by BIC is a gamma of shape 0.45.
  const std::vector<double> times = {0.000214106, 0.053989451, 0.015063189};
  SelectionOptions how;
  how.max_components = 1;
  const auto selected = select_model(times, how);
  ASSERT_TRUE(selected);
  const auto plan = plan_runs(times, selected->best().fit.mixture, {.quantiles = {0.5, 0.9}, .refits = 199});
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_NE(plan->runs, kNoRuns);
}

TEST(QuantileError, InformationIsThatOfSimulatedScores) {
  // Every family, with two components: the mean of score scoreᵀ over 400000 draws, within 6 standard errors.
  for (const Family family : kFamilies) {
    Parameters one{.location = 0.2, .scale = 0.2, .shape = 0.1};
    Parameters two{.location = 1.0, .scale = 0.3, .shape = -0.1};
    if (family == Family::gamma) one = {.location = 4, .scale = 0.5}, two = {.location = 20, .scale = 0.4};
    const Mixture mixture{family, {{0.35, one}, {0.65, two}}};
    const auto information = detail::expected_information(mixture);
    ASSERT_TRUE(information) << name(family);
    const Eigen::Index p = information->rows();
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(p, p), squares = sum;
    Random random(3);
    constexpr int kDraws = 400000;
    for (int i = 0; i < kDraws; ++i) {
      const Eigen::VectorXd score = detail::mixture_score(mixture, mixture.sample(random));
      const Eigen::MatrixXd product = score * score.transpose();
      sum += product;
      squares += product.cwiseProduct(product);
    }
    for (Eigen::Index a = 0; a < p; ++a)
      for (Eigen::Index b = 0; b <= a; ++b) {
        const double mean = sum(a, b) / kDraws;
        const double error = std::sqrt((squares(a, b) / kDraws - mean * mean) / kDraws);
        EXPECT_NEAR((*information)(a, b), mean, 6 * error + 1e-9) << name(family) << a << b;
      }
  }
}

TEST(QuantileError, GradientOfTheCdfIsThatOfDifferences) {
  const auto check = [](const Mixture& mixture, double x) {
    const Eigen::VectorXd gradient = detail::mixture_cdf_gradient(mixture, x);
    const double h = 1e-5;
    Mixture up = mixture, down = mixture;
    up.components[0].weight += h, up.components[1].weight -= h;
    down.components[0].weight -= h, down.components[1].weight += h;
    EXPECT_NEAR((up.cdf(x) - down.cdf(x)) / (2 * h), gradient[0], 1e-7);
    for (std::size_t j = 0; j < 2; ++j) {
      up = down = mixture;
      up.components[j].parameters.scale += h;
      down.components[j].parameters.scale -= h;
      EXPECT_NEAR((up.cdf(x) - down.cdf(x)) / (2 * h), gradient[static_cast<Eigen::Index>(3 + j)], 1e-7);
    }
  };
  check(kTableSeven, 1.1);
  check({Family::gamma, {{0.3, {.location = 4, .scale = 0.5}}, {0.7, {.location = 20, .scale = 0.4}}}}, 6.5);
  check({Family::weibull, {{0.3, {.location = 0, .scale = 0.5}}, {0.7, {.location = 1, .scale = 0.2}}}}, 2.0);
}

TEST(QuantileError, CoincidingComponentsAreSingular) {
  const Component same{0.5, {.location = 1, .scale = 1}};
  EXPECT_FALSE(quantile_errors({Family::normal, {same, same}}, std::vector<double>{0.1}));
  EXPECT_FALSE(quantile_errors({Family::gev, {{1.0, {.location = 0, .scale = 1, .shape = -0.6}}}},
                               std::vector<double>{0.1}));
  EXPECT_FALSE(quantile_errors(kTableSeven, std::vector<double>{1.0}));
}

TEST(SampleSize, ReproducesTheExampleOfTheSource) {
  // Γ from Table 7: issue 3 states -1.0470, 1.2599 at n = 1 and -0.1656, 0.1992 at n = 40 (±1e-3), from an
  // independent computation with the right formulas.
  const auto samples =
      read_samples(kData + "sample_size_example_runs.csv", {.column = "throughput_standardised"});
  if (!samples) GTEST_SKIP() << "no shared data at " << kData;
  PlanOptions options;
  options.centered = true;
  options.target = 0.1;
  options.table = {1, 40, 250};
  const auto plan = plan_runs(samples->groups[0].values, kTableSeven, options);
  ASSERT_TRUE(plan);
  EXPECT_NEAR(plan->table[0].gamma[0], -1.0470, 1e-3);
  EXPECT_NEAR(plan->table[0].gamma[1], 1.2599, 1e-3);
  EXPECT_NEAR(plan->table[1].gamma[0], -0.1656, 1e-3);
  EXPECT_NEAR(plan->table[1].gamma[1], 0.1992, 1e-3);
  EXPECT_EQ(plan->independent_runs, 159u);  // (1.2599/0.1)² = 158.7
}

TEST(SampleSize, NeverAdvisesFewerThanThirtyAndKnowsTheImpossible) {
  const Mixture narrow{Family::normal, {{1.0, {.location = 1000, .scale = 1}}}};
  EXPECT_EQ(plan_runs(draw(narrow, 200, 1), narrow)->runs, 30u);
  PlanOptions at_zero;
  at_zero.quantiles = {0.5};
  const Mixture centred{Family::normal, {{1.0, {.location = 0, .scale = 1}}}};
  const auto plan = plan_runs(draw(centred, 200, 1), centred, at_zero);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->runs, kNoRuns);
  EXPECT_FALSE(plan->notes.empty());
  EXPECT_FALSE(plan_runs({}, narrow));
}

TEST(SampleSize, CalibratedIntervalsCoverWhereTheSmallComponentMakesPlainOnesFail) {
  // The fit of one long sample, where plain intervals for q = 0.1 from 150 runs cover 90.5 %
  // (bench/quantile_coverage).
  const Mixture truth{
      Family::loglogistic,
      {{0.0336, {.location = 12.5892, .scale = 0.0322}}, {0.9664, {.location = 13.1784, .scale = 0.0604}}}};
  const std::size_t repeats = std::getenv("WEIR_LONG_TESTS") != nullptr ? 400 : 40;
  const std::vector<double> quantiles{0.1};
  std::size_t covered = 0;
  for (std::size_t i = 0; i < repeats; ++i) {
    const std::vector<double> values = draw(truth, 150, 300 + i);
    const auto fit = fit_mixture(values, truth.family, 2);
    ASSERT_TRUE(fit);
    const auto interval = calibrated_intervals(fit->mixture, 150, quantiles, 0.95, 99, i);
    ASSERT_TRUE(interval);
    covered +=
        (*interval)[0].low <= truth.quantile(0.1) && truth.quantile(0.1) <= (*interval)[0].high ? 1 : 0;
  }
  EXPECT_GE(static_cast<double>(covered),
            0.95 * static_cast<double>(repeats) - 3 * std::sqrt(0.0475 * static_cast<double>(repeats)));
  EXPECT_FALSE(calibrated_intervals(truth, 150, quantiles, 0.95, 10));
}

// A small piece of bench/quantile_coverage: subsets of 150 runs of the long samples against the whole.
TEST(SampleSize, IntervalsWithoutAModelHoldOnTheLongSamples) {
  const auto samples = read_samples(kData + "ssd_readers_10200_runs.csv.zst", {.wide = "throughput_"});
  if (!samples) GTEST_SKIP() << "no shared data at " << kData;
  int good = 0;
  for (const Group& group : samples->groups) {
    std::vector<double> pool = group.values;
    std::sort(pool.begin(), pool.end());
    const double low = sample_quantile(pool, 0.1).estimate, high = sample_quantile(pool, 0.9).estimate;
    Random random(2);
    int low_covered = 0, high_covered = 0;
    constexpr int kSubsets = 2000;
    for (int i = 0; i < kSubsets; ++i) {
      for (std::size_t j = 0; j < 150; ++j) std::swap(pool[j], pool[j + random.below(pool.size() - j)]);
      std::vector<double> subset(pool.begin(), pool.begin() + 150);
      std::sort(subset.begin(), subset.end());
      const SampleQuantile below = sample_quantile(subset, 0.1), above = sample_quantile(subset, 0.9);
      low_covered += below.low <= low && low <= below.high ? 1 : 0;
      high_covered += above.low <= high && high <= above.high ? 1 : 0;
    }
    const auto within = [](int hits) { return hits >= 0.92 * kSubsets && hits <= 0.99 * kSubsets; };
    good += within(low_covered) && within(high_covered) ? 1 : 0;
  }
  EXPECT_GE(good, 15);  // issue 3; the one that is out covers 99.8 %, since values tie at its quantile
}

// Data drawn from a model, the same model fitted to it: the method's own coverage.
TEST(SampleSize, ModelIntervalsCoverTheirOwnData) {
  const Mixture one{Family::gamma, {{1.0, {.location = 25, .scale = 4}}}};
  const Mixture two{Family::normal,
                    {{0.4, {.location = 80, .scale = 4}}, {0.6, {.location = 100, .scale = 3}}}};
  const std::vector<double> quantiles{0.1, 0.9};
  for (const Mixture& truth : {one, two}) {
    std::array<int, 2> covered{};
    constexpr std::uint64_t kRepeats = 1000;
    for (std::uint64_t i = 0; i < kRepeats; ++i) {
      const std::vector<double> values = draw(truth, 150, 5000 + i);
      EmOptions options;
      options.starts = 2;
      options.standard_errors = false;
      const auto fit = fit_mixture(values, truth.family, static_cast<int>(truth.components.size()), options);
      ASSERT_TRUE(fit);
      const auto errors = quantile_errors(fit->mixture, quantiles);
      ASSERT_TRUE(errors);
      for (std::size_t q = 0; q < 2; ++q)
        covered[q] += std::abs((*errors)[q].quantile - truth.quantile(quantiles[q])) <
                              1.959964 * (*errors)[q].standard_error(150)
                          ? 1
                          : 0;
    }
    for (const int hits : covered) {
      EXPECT_GE(hits, 930);
      EXPECT_LE(hits, 970);
    }
  }
}

TEST(SampleSize, AWrongModelIsNotTrusted) {
  const Mixture truth{Family::normal,
                      {{0.3, {.location = 100, .scale = 2}}, {0.7, {.location = 140, .scale = 3}}}};
  const Mixture wrong{Family::normal, {{1.0, {.location = 128, .scale = 18.6}}}};
  EXPECT_TRUE(plan_runs(draw(truth, 300, 5), truth)->model_trusted);
  EXPECT_FALSE(plan_runs(draw(truth, 300, 5), wrong)->model_trusted);
}

TEST(Dependence, IsFoundInAutoregressiveRunsOnly) {
  Random random(4);
  std::vector<double> independent(1000), dependent(1000);
  double last = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    independent[i] = random.normal();
    last = 0.6 * last + random.normal();
    dependent[i] = last;
  }
  EXPECT_FALSE(test_dependence(independent).dependent);
  const Dependence found = test_dependence(dependent);
  EXPECT_TRUE(found.dependent);
  EXPECT_NEAR(found.lag_one, 0.6, 0.08);
  EXPECT_NEAR(found.inflation, 4, 1.2);  // (1 + 0.6)/(1 - 0.6)
  EXPECT_NEAR(found.first_order_inflation, 4, 1);
  std::sort(dependent.begin(), dependent.end());
  EXPECT_TRUE(test_dependence(dependent).order_lost);
  EXPECT_EQ(test_dependence(dependent).inflation, 1);
}

TEST(Dependence, FalseAlarmsAreRare) {
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    std::vector<double> values(100);
    for (double& x : values) x = random.exponential();
    alarms += test_dependence(values).dependent ? 1 : 0;
  }
  EXPECT_LE(alarms, 24);  // 10 expected; Poisson(10) exceeds 24 with probability 5e-5
}

TEST(Dependence, TwoOfTheSeventeenLongSamplesDepend) {
  const auto samples = read_samples(kData + "ssd_readers_10200_runs.csv.zst", {.wide = "throughput_"});
  if (!samples) GTEST_SKIP() << "no shared data at " << kData;
  ASSERT_EQ(samples->groups.size(), 17u);
  int strong = 0;
  for (const Group& group : samples->groups) {
    const Dependence found = test_dependence(group.values);
    if (found.lag_one > 0.5) {
      ++strong;
      // Were it first-order, runs would be worth a quarter; in fact these levels last over hundreds of runs.
      EXPECT_GT(found.first_order_inflation, 2.5);
      EXPECT_GT(found.inflation, 100);
    }
  }
  EXPECT_EQ(strong, 2);  // issue 3: two of the 17 have lag-1 autocorrelation near 0.6
}

TEST(SampleQuantile, IntervalsCoverAtLeastTheirLevel) {
  const Mixture truth{Family::lognormal, {{1.0, {.location = 0, .scale = 1}}}};
  for (const double q : {0.1, 0.5, 0.9}) {
    const double x = truth.quantile(q);
    int covered = 0;
    double squares = 0, errors = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      std::vector<double> values = draw(truth, 150, seed);
      std::sort(values.begin(), values.end());
      const SampleQuantile found = sample_quantile(values, q);
      covered += found.low <= x && x <= found.high ? 1 : 0;
      squares += (found.estimate - x) * (found.estimate - x);
      errors += found.standard_error;
    }
    EXPECT_GE(covered, 1880);
    EXPECT_LE(covered, 1965);
    EXPECT_NEAR(errors / 2000 / std::sqrt(squares / 2000), 1, 0.1);
  }
}

TEST(SampleQuantile, HasNoEndWhereTheSampleIsTooSmall) {
  const std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const SampleQuantile found = sample_quantile(values, 0.1);
  EXPECT_TRUE(std::isinf(found.low));
  EXPECT_TRUE(std::isfinite(found.high));
  EXPECT_EQ(sample_quantile(std::vector<double>{7}, 0.5).estimate, 7);
}

}  // namespace
}  // namespace weir::stats
