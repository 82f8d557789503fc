#include "stats/goodness.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace weir::stats {
namespace {

// Values placed at known probabilities of the model.
TEST(Goodness, DistancesMatchTheirDefinition) {
  const Mixture mixture{Family::normal, {{1, {0, 1, 0}}}};
  const double u[] = {0.1, 0.4, 0.7};
  std::vector<double> values;
  for (const double p : u) values.push_back(mixture.quantile(p));
  EXPECT_NEAR(kolmogorov_smirnov(values, mixture), 0.3, 1e-12);  // 1 - 0.7
  double sum = 0;
  for (int i = 0; i < 3; ++i) sum += (2 * i + 1) * (std::log(u[i]) + std::log(1 - u[2 - i]));
  EXPECT_NEAR(anderson_darling(values, mixture), -3 - sum / 3, 1e-12);
}

TEST(Goodness, AcceptsTheRightModelAndRejectsTheWrongOne) {
  const Mixture truth{Family::normal, {{0.5, {0, 1, 0}}, {0.5, {6, 1, 0}}}};
  Random random(3);
  std::vector<double> values;
  for (int i = 0; i < 150; ++i) values.push_back(truth.sample(random));
  const GoodnessOptions options{.replicates = 99, .seed = 4};
  const auto right = test_goodness(values, fit_mixture(values, Family::normal, 2)->mixture, options);
  ASSERT_TRUE(right);
  EXPECT_GT(right->ks_p, 0.05);
  EXPECT_GT(right->ad_p, 0.05);
  const auto wrong = test_goodness(values, fit_mixture(values, Family::normal, 1)->mixture, options);
  ASSERT_TRUE(wrong);
  EXPECT_LE(wrong->ks_p, 0.02);
  EXPECT_LE(wrong->ad_p, 0.02);
}

TEST(Goodness, DependsOnTheSeedAloneNotOnThreads) {
  Random random(8);
  std::vector<double> values;
  for (int i = 0; i < 60; ++i) values.push_back(std::exp(random.normal()));
  const auto fit = fit_mixture(values, Family::lognormal, 2);
  ASSERT_TRUE(fit);
  const auto one = test_goodness(values, fit->mixture, {.replicates = 40, .seed = 9, .threads = 1});
  const auto many = test_goodness(values, fit->mixture, {.replicates = 40, .seed = 9, .threads = 4});
  ASSERT_TRUE(one && many);
  EXPECT_EQ(one->ks_p, many->ks_p);
  EXPECT_EQ(one->ad_p, many->ad_p);
  EXPECT_FALSE(test_goodness(values, fit->mixture, {.replicates = 0}));
}

// Under the null the p value is close to uniform, also though parameters were fitted: at most about alpha
// below alpha.
TEST(Goodness, PValuesAreNotTooSmallUnderTheNull) {
  const Mixture truth{Family::gamma, {{1, {9, 2, 0}}}};
  int rejected = 0;
  constexpr int repeats = 100;
  for (std::uint64_t seed = 1; seed <= repeats; ++seed) {
    Random random(seed);
    std::vector<double> values;
    for (int i = 0; i < 50; ++i) values.push_back(truth.sample(random));
    const auto fit = fit_mixture(values, Family::gamma, 1);
    rejected += test_goodness(values, fit->mixture, {.replicates = 39, .seed = seed})->ad_p <= 0.1;
  }
  EXPECT_LE(rejected, 20);  // 10 expected, standard deviation 3
  EXPECT_GE(rejected, 2);
}

}  // namespace
}  // namespace weir::stats
