#include "stats/selection.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

#include "base/parallel.hpp"
#include "stats/measured_test.hpp"

namespace weir::stats {
namespace {

std::vector<double> two_lognormals(int n, std::uint64_t seed) {
  const Mixture truth{Family::lognormal, {{0.5, {11, 0.05, 0}}, {0.5, {11.5, 0.08, 0}}}};
  Random random(seed);
  std::vector<double> values;
  for (int i = 0; i < n; ++i) values.push_back(truth.sample(random));
  return values;
}

TEST(Selection, RanksAllThirtyModelsByBic) {
  const auto values = two_lognormals(150, 1);
  const auto selection = select_model(values);
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->models.size(), 30u);
  EXPECT_EQ(selection->best().fit.mixture.components.size(), 2u);
  EXPECT_TRUE(std::is_sorted(selection->models.begin(), selection->models.end(),
                             [](const Model& a, const Model& b) { return a.bic < b.bic; }));
  for (const Model& model : selection->models) {
    const double p = model.fit.mixture.parameter_count();
    EXPECT_NEAR(model.bic, -2 * model.fit.log_likelihood + p * std::log(150.0), 1e-9);
    EXPECT_NEAR(model.aic, -2 * model.fit.log_likelihood + 2 * p, 1e-9);
    EXPECT_GE(model.icl, model.bic - 1e-9);
    EXPECT_GE(model.fit.log_likelihood, model.fit.kmeans_log_likelihood);
    EXPECT_GE(model.fit.starts, model.fit.mixture.components.size() == 1 ? 1 : 5);
  }
}

TEST(Selection, DoesNotDependOnThreads) {
  const auto values = two_lognormals(150, 2);
  SelectionOptions options;
  const auto one = select_model(values, options);
  options.threads = 4;
  const auto four = select_model(values, options);
  ASSERT_TRUE(one && four);
  for (std::size_t i = 0; i < one->models.size(); ++i)
    EXPECT_EQ(one->models[i].fit.mixture, four->models[i].fit.mixture);
}

TEST(Selection, LeavesOutPositiveFamiliesForZeroAndNegativeValues) {
  auto values = two_lognormals(100, 3);
  values[0] = 0;
  const auto selection = select_model(values);
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->models.size(), 5u);
  EXPECT_EQ(selection->left_out.size(), 5u);
  EXPECT_EQ(selection->left_out[0].reason, "gamma needs values above 0; the least is 0");
}

TEST(Selection, LeavesOutWhatTooFewValuesCannotTell) {
  const std::vector<double> values = {1, 2, 4, 8, 16, 32};
  const auto selection = select_model(values);
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->models.size(), 12u);  // 6 values: one and two components
  EXPECT_EQ(selection->left_out.size(), 18u);
  EXPECT_EQ(selection->left_out[0].reason, "6 values are fewer than the 8 parameters of 3 components");
  EXPECT_FALSE(select_model(std::vector<double>{1.0}));
  EXPECT_FALSE(select_model(std::vector<double>(50, 2.0)));
}

TEST(Selection, WarnsWhenTheTwoBestAreClose) {
  Random random(5);
  std::vector<double> values;
  for (int i = 0; i < 150; ++i)
    values.push_back(1000 + random.normal());  // six families look alike this narrow
  const auto selection = select_model(values);
  ASSERT_TRUE(selection);
  EXPECT_LT(selection->models[1].bic - selection->models[0].bic, 2);
  EXPECT_NE(selection->warning.find("BIC"), std::string::npos);
}

TEST(Selection, TotalsAddUpOverGroups) {
  std::vector<Selection> selections;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    auto values = two_lognormals(100, seed);
    if (seed % 2 == 0)
      for (double& x : values) x *= 1e3;  // other units must not change what a group adds
    selections.push_back(*select_model(values));
  }
  const Totals sums = totals(selections);
  EXPECT_EQ(sums.groups, 6u);
  std::size_t best = 0, by_components = 0;
  for (const auto& row : sums.families) {
    best += row.best;
    EXPECT_EQ(row.groups, 6u);
    EXPECT_EQ(row.seconds.size(), 5u);
  }
  for (const std::size_t count : sums.best_components) by_components += count;
  EXPECT_EQ(best, 6u);
  EXPECT_EQ(by_components, 6u);
  EXPECT_NEAR(selections[0].standardised_bic(selections[0].best()),
              selections[0].best().bic - 200 * std::log(selections[0].spread), 1e-9);
}

// The published choice was made by another EM over the same four families; see the data's README. A sixth of
// the configurations by default, all of them with WEIR_LONG_TESTS set.
TEST(Selection, AgreesWithThePublishedNumberOfComponents) {
  const auto configurations = measured::random_writers();
  const auto published = measured::published_choices();
  if (configurations.empty() || published.empty()) GTEST_SKIP() << measured::kAbsent;
  const std::size_t stride = std::getenv("WEIR_LONG_TESTS") != nullptr ? 1 : 7;
  struct Case {
    const measured::Configuration* configuration;
    int components;
  };
  std::vector<Case> cases;
  std::size_t seen = 0;
  for (const auto& c : configurations) {
    const auto choice = published.find(c.key);
    if (choice != published.end() && choice->second.runs <= 152 && seen++ % stride == 0)
      cases.push_back({&c, choice->second.components});
  }
  std::vector<std::size_t> four(cases.size()), six(cases.size());
  parallel_for(cases.size(), [&](std::size_t i) {
    SelectionOptions options;
    options.em.standard_errors = false;
    const auto selection = select_model(cases[i].configuration->values, options);
    if (!selection) return;
    six[i] = selection->best().fit.mixture.components.size();
    for (const Model& model : selection->models) {
      const Family family = model.fit.mixture.family;
      if (family == Family::loglogistic || family == Family::frechet) continue;
      four[i] = model.fit.mixture.components.size();
      break;
    }
  });
  double same = 0, modes = 0, several = 0;
  const auto n = static_cast<double>(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    same += static_cast<int>(four[i]) == cases[i].components;
    modes += (four[i] > 1) == (cases[i].components > 1);
    several += six[i] > 1;
  }
  std::printf(
      "%zu configurations: %.2f %% same components, %.2f %% same on one or several; %.1f %% have several "
      "over "
      "six families\n",
      cases.size(), 100 * same / n, 100 * modes / n, 100 * several / n);
  EXPECT_GE(same / n, 0.89);
  EXPECT_GE(modes / n, 0.96);
}

}  // namespace
}  // namespace weir::stats
