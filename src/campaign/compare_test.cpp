#include "campaign/compare.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "base/scratch_dir.hpp"
#include "campaign/detail/rank_sum.hpp"
#include "campaign/store_test_help.hpp"

namespace weir::campaign {
namespace {

using test::facts_of;
using test::opened;
using test::run_at;
using ::testing::HasSubstr;

// Two modes, as throughputs of storage have them.
std::vector<double> throughputs(Random& random, std::size_t count, double scale = 1) {
  std::vector<double> values(count);
  for (double& value : values)
    value = scale * std::exp(0.1 * random.normal() + (random.uniform() < 0.3 ? 1 : 0));
  return values;
}

TEST(RankSum, AgreesWithPublishedTables) {
  // Exact two-sided p-values by counting: U = 0 of 3 and 4 values is 2 / C(7, 3); U = 2 of 5 and 5 is
  // 2 * (1 + 1 + 2) / C(10, 5).
  EXPECT_NEAR(detail::rank_sum_p(std::vector<double>{1, 2, 3}, std::vector<double>{4, 5, 6, 7}), 2.0 / 35,
              1e-12);
  EXPECT_NEAR(detail::rank_sum_p(std::vector<double>{1, 2, 3, 4, 7}, std::vector<double>{5, 6, 8, 9, 10}),
              8.0 / 252, 1e-12);
  EXPECT_EQ(detail::rank_sum_p(std::vector<double>{1, 1, 1}, std::vector<double>{1, 1}), 1);
  // Hollander and Wolfe, Nonparametric Statistical Methods, table A.6: for 10 and 10 values the critical U at
  // 0.05 (two-sided) is 23: P(U <= 23) <= 0.025 < P(U <= 24).
  const auto p_at = [](std::size_t u) {
    // Ten before; after below all of them except that its largest is raised past u of them, by steps.
    std::vector<double> before, after;
    for (int i = 1; i <= 10; ++i) before.push_back(100 + i);
    for (int i = 1; i <= 10; ++i) after.push_back(i);
    for (std::size_t j = 10; j-- > 0 && u > 0;) {
      const std::size_t passed = std::min<std::size_t>(u, 10);
      after[j] = 100 + static_cast<double>(passed) + 0.01 * static_cast<double>(j + 1);
      u -= passed;
    }
    std::sort(after.begin(), after.end());
    return detail::rank_sum_p(before, after);
  };
  EXPECT_LE(p_at(23), 0.05);
  EXPECT_GT(p_at(24), 0.05);
}

TEST(RankSum, ExactAndApproximateAgreeWhereTheyMeet) {
  Random random(3);
  for (int i = 0; i < 20; ++i) {
    auto a = throughputs(random, 50), b = throughputs(random, 50, 1 + 0.02 * i);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    // Two equal values at the bottom of one sample leave every comparison as it is and take the other way.
    const double lowest = std::min(a[0], b[0]);
    a[0] = a[1] = lowest - 1;
    const double approximate = detail::rank_sum_p(a, b);
    a[0] = lowest - 2;
    const double exact = detail::rank_sum_p(a, b);
    // Far out the normal distribution's tail is the heavier one: the approximation errs on the safe side.
    if (exact > 1e-3) {
      EXPECT_NEAR(approximate / exact, 1, 0.25) << i;
    } else {
      EXPECT_GE(approximate, exact) << i;
    }
  }
}

TEST(Compare, TheIntervalHoldsTheTrueRatioAsOftenAsItSays) {
  Random random(11);
  int held = 0;
  constexpr int kRepeats = 1500;
  for (int i = 0; i < kRepeats; ++i) {
    const auto one = compare_samples(throughputs(random, 25), throughputs(random, 30, 0.8), 0.05);
    held += one.low <= 0.8 && 0.8 <= one.high ? 1 : 0;
  }
  // Binomial with p = 0.95: standard deviation 0.0056; the exact test is a little conservative.
  EXPECT_GE(held / static_cast<double>(kRepeats), 0.95 - 0.02);
  EXPECT_LE(held / static_cast<double>(kRepeats), 0.98);
}

// The whole comparison raises a false alarm in at most alpha of the cases where nothing changed.
TEST(Compare, FalseAlarmsStayWithinAlpha) {
  Random random(7);
  constexpr int kCampaigns = 600;
  constexpr int kConfigurations = 30;
  int alarms = 0;
  for (int i = 0; i < kCampaigns; ++i) {
    std::vector<Comparison> all;
    for (int c = 0; c < kConfigurations; ++c)
      all.push_back(compare_samples(throughputs(random, 20), throughputs(random, 20), 0.05));
    judge(all, {});
    alarms += std::any_of(all.begin(), all.end(), [](const Comparison& one) {
      return one.change == Change::slower || one.change == Change::faster;
    });
  }
  // Expected 30 at most, standard deviation 5.3.
  EXPECT_LE(alarms, 30 + 3 * 5.3);
  EXPECT_GE(alarms, 8) << "a test that never alarms finds nothing either";
}

TEST(Compare, ChangesAreFoundAndNamed) {
  Random random(9);
  std::vector<Comparison> all;
  const auto steady = [&](std::size_t count, double level) {
    std::vector<double> values(count);
    for (double& value : values) value = level * std::exp(0.03 * random.normal());
    return values;
  };
  for (int c = 0; c < 200; ++c) all.push_back(compare_samples(steady(40, 1e9), steady(40, 1e9), 0.05));
  all.push_back(compare_samples(steady(40, 1e9), steady(40, 0.85e9), 0.05));
  all.push_back(compare_samples(steady(40, 1e9), steady(40, 1.2e9), 0.05));
  all.push_back(compare_samples(steady(4, 1e9), steady(4, 0.9e9), 0.05));
  judge(all, {});
  EXPECT_EQ(all[0].change, Change::same);
  EXPECT_EQ(all[200].change, Change::slower);
  EXPECT_NEAR(all[200].ratio, 0.85, 0.03);
  EXPECT_LT(all[200].low, all[200].ratio);
  EXPECT_GT(all[200].high, all[200].ratio);
  EXPECT_EQ(all[201].change, Change::faster);
  EXPECT_EQ(all[202].change, Change::inconclusive) << "four runs cannot tell";
}

TEST(Compare, ACertainButSmallChangeIsTheSame) {
  std::vector<double> before, after;
  for (int i = 0; i < 200; ++i) {
    before.push_back(1e9 + i);
    after.push_back(0.99e9 + i);
  }
  std::vector<Comparison> all = {compare_samples(before, after, 0.05)};
  judge(all, {});
  EXPECT_LT(all[0].adjusted, 1e-6);
  EXPECT_EQ(all[0].change, Change::same);
  judge(all, {.alpha = 0.05, .tolerance = 0.001, .with_disturbed = false});
  EXPECT_EQ(all[0].change, Change::slower);
}

TEST(Compare, CampaignsMeetByLevels) {
  const ScratchDir dir;
  Store a = opened(dir.path() / "a.db"), b = opened(dir.path() / "b.db");
  ASSERT_TRUE(
      a.add_campaign(facts_of("c", {"mode", "threads"}), {{"read", "1"}, {"read", "2"}, {"write", "1"}}));
  ASSERT_TRUE(
      b.add_campaign(facts_of("c", {"threads", "mode"}), {{"2", "read"}, {"1", "read"}, {"8", "read"}}));
  Random random(2);
  for (std::uint32_t i = 0; i < 30; ++i)
    for (std::int64_t c = 0; c < 3; ++c) {
      ASSERT_TRUE(a.add_run(1, run_at(c, i, 1e8 * std::exp(0.01 * random.normal()))));
      ASSERT_TRUE(b.add_run(1, run_at(c, i, (c == 0 ? 0.5e8 : 1e8) * std::exp(0.01 * random.normal()))));
    }
  RunRow odd = run_at(1, 30, 1);
  odd.state = RunState::disturbed;
  ASSERT_TRUE(b.add_run(1, odd));
  const auto report = compare_campaigns(a, 1, b, 1);
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_EQ(report->configurations.size(), 2u);
  EXPECT_EQ(report->configurations[0].levels, (Levels{"read", "1"}));
  EXPECT_EQ(report->configurations[0].change, Change::same);
  EXPECT_EQ(report->configurations[0].after_n, 30u);
  EXPECT_EQ(report->configurations[1].change, Change::slower);
  EXPECT_EQ(report->only_before, 1u);
  EXPECT_EQ(report->only_after, 1u);
  EXPECT_EQ(report->left_out, 1u);
  EXPECT_EQ(report->outcome, Outcome::regression);
  EXPECT_EQ(compare_campaigns(a, 1, b, 1, {.alpha = 0.05, .tolerance = 0.05, .with_disturbed = true})
                ->configurations[0]
                .after_n,
            31u);
  EXPECT_EQ(compare_campaigns(a, 1, a, 1)->outcome, Outcome::pass);

  ASSERT_TRUE(b.add_campaign(facts_of("d", {"threads", "size"}), {{"2", "4"}}));
  EXPECT_THAT(compare_campaigns(a, 1, b, 2).error().text(), HasSubstr("mode, size is in one of them only"));
  ASSERT_TRUE(b.add_campaign(facts_of("e", {"threads", "mode"}), {{"77", "read"}}));
  EXPECT_THAT(compare_campaigns(a, 1, b, 3).error().text(), HasSubstr("no configuration has runs in both"));
}

}  // namespace
}  // namespace weir::campaign
