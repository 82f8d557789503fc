#include "stats/detect.hpp"

#include <cmath>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "base/parallel.hpp"
#include "stats/em.hpp"

namespace weir::stats {
namespace {

const Mixture kTwoModes{Family::normal,
                        {{0.3, {.location = 80, .scale = 4}}, {0.7, {.location = 100, .scale = 3}}}};
const Mixture kSkewed{Family::lognormal, {{1.0, {.location = 2, .scale = 0.4}}}};

std::vector<double> draw(const Mixture& mixture, std::size_t count, Random& random, double factor = 1) {
  std::vector<double> values(count);
  for (double& x : values) x = factor * mixture.sample(random);
  return values;
}

DetectOptions quick(Better better, double alpha) {
  DetectOptions options;
  options.better = better;
  options.alpha = alpha;
  options.power = false;
  options.refits = 40;
  return options;
}

TEST(Detect, ADropIsDegradedAndARiseImproved) {
  Random random(1);
  const std::vector<double> baseline = draw(kTwoModes, 150, random);
  const auto slower = detect(baseline, draw(kTwoModes, 50, random, 0.92), std::nullopt);
  ASSERT_TRUE(slower);
  EXPECT_TRUE(slower->degraded);
  EXPECT_TRUE(slower->changed);
  EXPECT_FALSE(slower->improved);
  EXPECT_NEAR(slower->shift_percent, -8, 3);
  const auto faster = detect(baseline, draw(kTwoModes, 50, random, 1.08), std::nullopt);
  EXPECT_FALSE(faster->degraded);
  EXPECT_TRUE(faster->improved);
  // For times the same rise is for the worse.
  DetectOptions times;
  times.better = Better::lower;
  EXPECT_TRUE(detect(baseline, draw(kTwoModes, 50, random, 1.08), std::nullopt, times)->degraded);
}

TEST(Detect, OneRunFarOutsideIsEnoughWithAModel) {
  Random random(2);
  const std::vector<double> baseline = draw(kTwoModes, 40, random);
  const auto fit = fit_mixture(baseline, Family::normal, 2);
  ASSERT_TRUE(fit);
  const auto found = detect(baseline, std::vector<double>{98, 20, 101}, fit->mixture);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->degraded);
  ASSERT_EQ(found->values.size(), 3u);
  EXPECT_TRUE(found->values[1].abnormal);
  EXPECT_FALSE(found->values[0].abnormal);
  EXPECT_LT(found->values[1].tail, 1e-6);
  EXPECT_GT(found->values[0].calibrated, 0.05);
}

TEST(Detect, SomeMuchWorseRunsAreFoundWhereTheMedianStays) {
  Random random(3);
  const std::vector<double> baseline = draw(kSkewed, 200, random);
  std::vector<double> fresh = draw(kSkewed, 100, random);
  for (std::size_t i = 0; i < 12; ++i) fresh[i] = 30 + random.uniform();
  const auto found = detect(baseline, fresh, std::nullopt, quick(Better::lower, 0.01));
  EXPECT_TRUE(found->degraded);
}

// False alarms at most alpha: independent runs from one distribution, with and without a model estimated from
// the same finite baseline. 800 repeats in all; 12000 with WEIR_LONG_TESTS.
TEST(Detect, FalseAlarmsStayBelowAlpha) {
  const std::size_t repeats = std::getenv("WEIR_LONG_TESTS") != nullptr ? 3000 : 200;
  constexpr double kAlpha = 0.05;
  struct Case {
    Mixture truth;
    std::size_t baseline, fresh;
    bool with_model;
  };
  const std::vector<Case> cases{
      {kTwoModes, 60, 20, true}, {kSkewed, 40, 10, true}, {kSkewed, 30, 1, true}, {kTwoModes, 50, 50, false}};
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const Case& setting = cases[c];
    std::vector<char> alarm(repeats), changed(repeats);
    parallel_for(repeats, [&](std::size_t i) {
      Random random(100 + c, i);
      const std::vector<double> baseline = draw(setting.truth, setting.baseline, random);
      const std::vector<double> fresh = draw(setting.truth, setting.fresh, random);
      std::optional<Mixture> model;
      if (setting.with_model) {
        const auto fit =
            fit_mixture(baseline, setting.truth.family, static_cast<int>(setting.truth.components.size()));
        if (fit) model = fit->mixture;
      }
      DetectOptions options = quick(Better::lower, kAlpha);
      options.seed = i;
      const auto found = detect(baseline, fresh, model, options);
      alarm[i] = found->degraded ? 1 : 0;
      changed[i] = found->changed ? 1 : 0;
    });
    const auto count = [](const std::vector<char>& flags) {
      double sum = 0;
      for (const char flag : flags) sum += flag;
      return sum;
    };
    const auto total = static_cast<double>(repeats);
    const double limit = total * kAlpha + 3 * std::sqrt(total * kAlpha * (1 - kAlpha));
    printf("case %zu: false alarms %.2f %%, changed %.2f %% at alpha %.0f %%\n", c,
           100 * count(alarm) / total, 100 * count(changed) / total, 100 * kAlpha);
    EXPECT_LE(count(alarm), limit) << c;
    EXPECT_LE(count(changed), limit) << c;
  }
}

TEST(Detect, DependentRunsAreComparedInBatches) {
  Random random(5);
  const auto walk = [&](std::size_t count) {
    std::vector<double> values(count);
    double last = 0;
    for (double& x : values) {
      last = 0.8 * last + random.normal();
      x = 100 + last;
    }
    return values;
  };
  int alarms = 0;
  constexpr int kRepeats = 200;
  for (int i = 0; i < kRepeats; ++i) {
    const auto found = detect(walk(300), walk(100), std::nullopt, quick(Better::higher, 0.05));
    alarms += found->degraded ? 1 : 0;
    if (i == 0) {
      EXPECT_GT(found->batch, 3u);
    }
  }
  EXPECT_LE(alarms, 25);  // 10 expected when batches are independent; compared singly it is about 60
}

TEST(Detect, ThePromisedShiftIsFoundWithThePromisedPower) {
  Random random(6);
  const std::vector<double> baseline = draw(kSkewed, 400, random);
  const double shift = detectable_shift(baseline, 60, 0.01, 0.8, Better::lower, random);
  int found = 0;
  constexpr int kRepeats = 150;
  for (int i = 0; i < kRepeats; ++i) {
    Random own(7, static_cast<std::uint64_t>(i));
    const std::vector<double> old = draw(kSkewed, 400, own);
    std::vector<double> fresh = draw(kSkewed, 60, own);
    for (double& x : fresh) x += shift;
    found += rank_tests(old, fresh, Better::lower, own).worse_p <= 0.01 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(found) / kRepeats, 0.8, 0.1);
  EXPECT_TRUE(
      std::isinf(detectable_shift(std::vector<double>{1, 2, 3}, 2, 0.01, 0.8, Better::lower, random)));
}

TEST(Detect, SameSeedSameAnswerAndBadInputIsAnError) {
  Random random(8);
  const std::vector<double> baseline = draw(kSkewed, 50, random), fresh = draw(kSkewed, 20, random);
  const auto once = detect(baseline, fresh, kSkewed), twice = detect(baseline, fresh, kSkewed);
  EXPECT_EQ(once->tests.worse_p, twice->tests.worse_p);
  EXPECT_EQ(once->values[3].calibrated, twice->values[3].calibrated);
  EXPECT_EQ(once->detectable_80_percent, twice->detectable_80_percent);
  EXPECT_FALSE(detect({}, fresh, std::nullopt));
  EXPECT_FALSE(detect(baseline, {}, std::nullopt));
  EXPECT_FALSE(detect(baseline, std::vector<double>{NAN}, std::nullopt));
  // Constant samples have nothing to tell.
  const auto same = detect(std::vector<double>(50, 3.0), std::vector<double>(20, 3.0), std::nullopt);
  ASSERT_TRUE(same);
  EXPECT_FALSE(same->degraded);
  EXPECT_TRUE(detect(std::vector<double>(50, 3.0), std::vector<double>(20, 2.0), std::nullopt)->degraded);
}

}  // namespace
}  // namespace weir::stats
