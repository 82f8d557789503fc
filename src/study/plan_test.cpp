#include "study/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::study {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

Work begun() {
  return {.where = {"own", ""},
          .done = {0, 0},
          .wanted = 10,
          .traced_s = {},
          .typical_s = {0, 0},
          .budget_s = {}};
}

Work half_way() {
  return {.where = {"own", "session"},
          .done = {5, 4},
          .wanted = 10,
          .traced_s = 2.0,
          .typical_s = {3, 4},
          .budget_s = {}};
}

TEST(Plan, WithoutARunThereIsNoTime) {
  EXPECT_FALSE(left_s(begun()));
  const auto plan = plan_text(begun(), "study");
  EXPECT_THAT(plan, Contains(HasSubstr("estimate: 21 times as long as the program")))
      << "traced, and 10 of each";
  EXPECT_THAT(plan, Contains(HasSubstr("(with the weakest consistency that is proven enough)")));
}

TEST(Plan, TimesAreThoseOfRunsLikeIt) {
  EXPECT_DOUBLE_EQ(*left_s(half_way()), 5 * 3 + 6 * 4);
  EXPECT_THAT(plan_text(half_way(), "study"),
              Contains(HasSubstr("9 of 20 runs are there already, in study")));
  EXPECT_THAT(plan_text(half_way(), "study"), Contains(HasSubstr("on the burst buffer (session)")));
  Work traced = begun();
  traced.traced_s = 2;
  EXPECT_DOUBLE_EQ(*left_s(traced), 40);
}

TEST(Plan, ABudgetEndsItWhenAnotherRoundDoesNotFit) {
  Work work = half_way();
  EXPECT_TRUE(another_round(work));
  work.budget_s = 20;
  work.spent_s = 13;
  EXPECT_TRUE(another_round(work));
  work.spent_s = 13.5;
  EXPECT_FALSE(another_round(work));
  EXPECT_DOUBLE_EQ(*left_s(work), 6.5);
  work.done = {2, 3};
  EXPECT_TRUE(another_round(work)) << "fewer than three say nothing";
  work.done = {10, 10};
  work.budget_s.reset();
  EXPECT_FALSE(another_round(work));
}

}  // namespace
}  // namespace weir::study
