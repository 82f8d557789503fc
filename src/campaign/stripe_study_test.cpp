#include "campaign/stripe_study.hpp"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"
#include "base/random.hpp"

namespace weir::campaign {
namespace {

using testing::Contains;
using testing::HasSubstr;

// Runs of m targets whose times are exponential, share `common` of their deviation, and one of which is
// slower.
std::vector<StripeTimes> simulate(std::size_t runs, std::size_t m, double common, double slower,
                                  std::uint64_t seed) {
  Random random(seed);
  std::vector<StripeTimes> times(runs);
  for (StripeTimes& run : times) {
    const double shared = random.exponential();
    for (std::size_t i = 0; i < m; ++i)
      run.parts_s.push_back(1 + common * shared + (1 - common) * random.exponential() +
                            (i == 0 ? slower : 0));
    run.total_s = *std::max_element(run.parts_s.begin(), run.parts_s.end());
  }
  return times;
}

TEST(StripeStudy, IndependentTargetsPass) {
  const auto study = study_stripes(simulate(400, 16, 0, 0, 1));
  EXPECT_TRUE(study.assumptions_hold());
  EXPECT_NEAR(study.mean_correlation, 0, 0.02);
  ASSERT_TRUE(study.fit);
  // The largest of 16 exponential times: close to Gumbel with location 1 + log 16 and scale 1.
  EXPECT_NEAR(study.fit->parameters.location, 1 + std::log(16.0), 0.15);
  EXPECT_NEAR(study.fit->parameters.scale, 1, 0.15);
  EXPECT_NEAR(study.fit->parameters.shape, 0, 0.12);
  EXPECT_THAT(study.verdict, Contains(HasSubstr("nothing speaks against")));
}

// Seeds 1 to 300 at alpha 0.01 for each of three tests: 3 % false alarms at most, 9 expected.
TEST(StripeStudy, AlarmsFalselyNoMoreOftenThanSaid) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed)
    alarms += study_stripes(simulate(100, 8, 0, 0, seed)).assumptions_hold() ? 0 : 1;
  EXPECT_LE(alarms, 9 + 3 * 3);
}

TEST(StripeStudy, ASharedBottleneckFails) {
  const auto study = study_stripes(simulate(200, 16, 0.7, 0, 2));
  EXPECT_FALSE(study.targets_independent);
  EXPECT_FALSE(study.assumptions_hold());
  // Var of the shared part over the whole: 0.49 / (0.49 + 0.09).
  EXPECT_NEAR(study.mean_correlation, 0.845, 0.05);
  EXPECT_THAT(study.verdict, Contains(HasSubstr("not independent")));
}

TEST(StripeStudy, ASlowTargetFails) {
  const auto study = study_stripes(simulate(200, 8, 0, 2, 3));
  EXPECT_FALSE(study.targets_alike);
  EXPECT_EQ(*std::max_element(study.slowest.begin(), study.slowest.end()), study.slowest[0]);
}

TEST(StripeStudy, PartsThatCannotBeSeenAreNull) {
  std::vector<StripeTimes> times = simulate(50, 4, 0, 0, 4);
  for (StripeTimes& run : times) run.parts_s.clear();
  const auto study = study_stripes(times);
  EXPECT_EQ(study.targets, 0);
  const Json json = to_json(study);
  EXPECT_TRUE(json["targets"].is_null());
  EXPECT_TRUE(json["correlation"].is_null());
  EXPECT_TRUE(json["assumptions_hold"].is_null());
  EXPECT_TRUE(json["gev"].is_object());
}

TEST(StripeStudy, TooFewRunsSayWhy) {
  const auto study = study_stripes(simulate(3, 4, 0, 0, 5));
  EXPECT_FALSE(study.fit);
  EXPECT_FALSE(study.no_fit.empty());
}

}  // namespace
}  // namespace weir::campaign
