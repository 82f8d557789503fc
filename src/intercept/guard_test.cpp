#include "intercept/guard.hpp"

#include <array>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>

namespace weir {
namespace {

// Addresses stand for stack frames: a call made from inside another has the lower one.
constexpr std::uintptr_t kTop = 0x7000;

TEST(Guard, ACallInsideTheRealFunctionIsOneDeeper) {
  Guard guard;
  ASSERT_TRUE(guard.may_enter(kTop));
  const auto outer = guard.open(kTop);
  EXPECT_EQ(Guard::depth_of(outer), 0U);
  guard.leave_own_work(outer);
  ASSERT_TRUE(guard.may_enter(kTop - 100));
  const auto inner = guard.open(kTop - 100);
  EXPECT_EQ(Guard::depth_of(inner), 1U);
  guard.close(inner);
  guard.resume_own_work(outer);
  guard.close(outer);
  EXPECT_EQ(guard.depth(), 0U);
}

TEST(Guard, TheHandlersOwnCallsPass) {
  Guard guard;
  const auto outer = guard.open(kTop);
  EXPECT_FALSE(guard.may_enter(kTop - 100));
  EXPECT_EQ(guard.passed(), 1U);
  guard.close(outer);
  EXPECT_TRUE(guard.may_enter(kTop - 100));
}

TEST(Guard, ACallFromTheSameHeightProvesTheOldOneDead) {
  Guard guard;
  guard.leave_own_work(guard.open(kTop));  // never closed
  EXPECT_TRUE(guard.may_enter(kTop));
  EXPECT_EQ(guard.depth(), 0U);
}

TEST(Guard, OwnWorkThatWasJumpedOutOfIsOverOnceACallComesFromHigherUp) {
  Guard guard;
  guard.open(kTop);  // never closed, in own work
  EXPECT_FALSE(guard.may_enter(kTop - 1));
  EXPECT_TRUE(guard.may_enter(kTop + 1));
}

TEST(Guard, OnlyTheDeadCallsAreForgotten) {
  Guard guard;
  const auto outer = guard.open(kTop);
  guard.leave_own_work(outer);
  guard.leave_own_work(guard.open(kTop - 100));  // these two are never closed
  guard.leave_own_work(guard.open(kTop - 200));
  ASSERT_TRUE(guard.may_enter(kTop - 50));
  EXPECT_EQ(guard.depth(), 1U);
  guard.resume_own_work(outer);
  guard.close(outer);
  EXPECT_EQ(guard.depth(), 0U);
}

TEST(Guard, ClosingPutsBackWhatWasFoundWhateverHappenedInside) {
  Guard guard;
  const auto outer = guard.open(kTop);
  guard.leave_own_work(outer);
  guard.open(kTop - 100);  // jumped out of
  guard.resume_own_work(outer);
  guard.close(outer);
  EXPECT_EQ(guard.depth(), 0U);
  EXPECT_FALSE(guard.in_own_work());
}

TEST(Guard, CallsDeeperThanItsRecordAreStillCounted) {
  Guard guard;
  std::array<std::uint32_t, 40> before{};
  std::uintptr_t frame = kTop;
  for (auto& b : before) {
    ASSERT_TRUE(guard.may_enter(frame));
    b = guard.open(frame--);
    guard.leave_own_work(b);
  }
  EXPECT_EQ(guard.depth(), before.size());
  for (auto b = before.rbegin(); b != before.rend(); ++b) guard.close(*b);
  EXPECT_EQ(guard.depth(), 0U);
}

Guard* interrupted = nullptr;
bool entered_on_alternate_stack = true;

TEST(Guard, OnAnAlternateStackAddressesProveNothing) {
  static std::array<char, 1 << 16> memory;
  const stack_t stack{memory.data(), 0, memory.size()};
  ASSERT_EQ(sigaltstack(&stack, nullptr), 0);
  struct sigaction action {};
  struct sigaction old {};
  action.sa_flags = SA_ONSTACK;
  action.sa_handler = [](int) { entered_on_alternate_stack = interrupted->may_enter(kTop + 1); };
  ASSERT_EQ(sigaction(SIGUSR1, &action, &old), 0);
  Guard guard;
  interrupted = &guard;
  guard.open(kTop);
  raise(SIGUSR1);
  EXPECT_FALSE(entered_on_alternate_stack);
  EXPECT_TRUE(guard.may_enter(kTop + 1));
  interrupted = nullptr;
  sigaction(SIGUSR1, &old, nullptr);
  const stack_t none{nullptr, SS_DISABLE, 0};
  sigaltstack(&none, nullptr);
}

TEST(Guard, EveryThreadHasItsOwn) {
  const auto before = Guard::current().open(kTop);
  std::thread([] {
    EXPECT_EQ(Guard::current().depth(), 0U);
    EXPECT_FALSE(Guard::current().in_own_work());
  }).join();
  Guard::current().close(before);
}

}  // namespace
}  // namespace weir
