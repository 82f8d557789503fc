#include "transport/detail/spin_habit.hpp"

#include <gtest/gtest.h>

namespace weir::transport::detail {
namespace {

using namespace std::chrono_literals;

// How many waits begin with sleeping until one spins again.
unsigned waits_left_out(SpinHabit& habit) {
  unsigned count = 0;
  while (!habit.worth()) ++count;
  return count;
}

TEST(SpinHabit, SpinsUntilThatWasInVain) {
  SpinHabit habit;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(habit.worth());
    habit.found();
  }
  habit.in_vain(3us);
  EXPECT_FALSE(habit.worth());
}

TEST(SpinHabit, LeavesOutMoreEachTimeUpToABound) {
  SpinHabit habit;
  unsigned before = 0;
  for (int i = 0; i < 20; ++i) {
    habit.in_vain(3us);
    const unsigned now = waits_left_out(habit);
    EXPECT_GE(now, before);
    EXPECT_GT(now, 0u);
    EXPECT_LE(now, 128u);
    before = now;
  }
  EXPECT_GE(before, 64u);
}

TEST(SpinHabit, ASuccessBeginsAnew) {
  SpinHabit habit;
  habit.in_vain(3us);
  const unsigned first = waits_left_out(habit);
  for (int i = 0; i < 5; ++i) {
    habit.in_vain(3us);
    waits_left_out(habit);
  }
  habit.found();
  habit.in_vain(3us);
  EXPECT_EQ(waits_left_out(habit), first);
}

// Nothing came for long: that says nothing about who has the core.
TEST(SpinHabit, AnEventThatCameLateIsNoReasonToStop) {
  SpinHabit habit;
  habit.in_vain(2ms);
  EXPECT_TRUE(habit.worth());
}

TEST(CoreHabit, OthersCountWhenTheyAreThereEachTime) {
  CoreHabit habit;
  habit.lent(false);
  habit.lent(false);
  EXPECT_FALSE(habit.is_crowded());
  habit.lent(true);  // they were an interrupt
  for (unsigned i = 0; i < CoreHabit::kOften; ++i) {
    EXPECT_FALSE(habit.is_crowded());
    habit.lent(false);
  }
  EXPECT_TRUE(habit.is_crowded());
  habit.lent(false);
  EXPECT_TRUE(habit.is_crowded());
  habit.lent(true);
  EXPECT_FALSE(habit.is_crowded());
}

}  // namespace
}  // namespace weir::transport::detail
