#include "transport/detail/placement.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>

#include "transport/stay_here_test.hpp"

namespace weir::transport::detail {
namespace {

using namespace std::chrono_literals;
constexpr Core kElsewhere = 900;

struct Moved {
  std::vector<Core> to;
  int away = 0;
  Placement::Moves moves() {
    return {[this](Core core) { return to.push_back(core), true; }, [this] { return ++away, true; }};
  }
};

class PlacementTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!stay_) GTEST_SKIP() << kMayNotStay;
  }
  // A call that another server is asked for.
  void call_far(const void* caller, Seat from, bool sleeps = false) {
    placement_.asked(caller);
    placement_.asked_others(from);
    placement_.act(now_);
    placement_.answered(from, sleeps);
    placement_.act(now_);
  }
  void call_near(const void* caller, Seat from) {
    placement_.asked(caller);
    placement_.answered(from, false);
    placement_.answered_at_once();
    placement_.act(now_);
  }
  // Up to where a client counts as the only one.
  void call_often() {
    for (unsigned i = 1; i < Placement::kEnough; ++i) call_far(&first_, {kElsewhere, true});
    ASSERT_TRUE(moved_.to.empty());
  }
  // The client is on our core now, and so are we on its.
  void join() {
    call_often();
    call_far(&first_, {kElsewhere, true});
    ASSERT_EQ(moved_.to, std::vector{kElsewhere});
  }

  StayHere stay_;
  const Core here_ = this_core();
  int first_ = 0, second_ = 0;  // callers
  Moved moved_;
  Placement placement_{moved_.moves()};
  Placement::Clock::time_point now_ = Placement::Clock::now();
};

TEST_F(PlacementTest, StaysWhileNobodyWantsTheClientsCore) {
  for (int i = 0; i < 1000; ++i) call_far(&first_, {kElsewhere, false});
  for (int i = 0; i < 1000; ++i) call_far(&first_, {here_, false});
  EXPECT_TRUE(moved_.to.empty());
  EXPECT_EQ(moved_.away, 0);
  EXPECT_FALSE(placement_.seat().is_crowded);
}

TEST_F(PlacementTest, GoesToTheOnlyClientWhenOthersWantItsCore) {
  EXPECT_FALSE(placement_.seat().is_crowded);
  join();
  EXPECT_TRUE(placement_.seat().is_crowded);
  EXPECT_EQ(placement_.seat().core, here_);
}

TEST_F(PlacementTest, GoesToTheClientAlsoWhenItLosesItsOwnCoreWhileThatWaits) {
  for (unsigned i = 0; i < Placement::kEnough; ++i) call_far(&first_, {kElsewhere, false});
  placement_.asked(&first_);
  placement_.asked_others({kElsewhere, false});
  EXPECT_FALSE(placement_.lost_core(true, now_));
  placement_.act(now_);
  EXPECT_EQ(moved_.to, std::vector{kElsewhere});
}

TEST_F(PlacementTest, SharesTheCoreWithoutMovingWhereItIsThereAlready) {
  for (unsigned i = 0; i < Placement::kEnough; ++i) call_far(&first_, {here_, false});
  placement_.asked(&first_);
  placement_.asked_others({here_, false});
  placement_.lost_core(true, now_);
  placement_.act(now_);
  EXPECT_TRUE(moved_.to.empty());
  EXPECT_TRUE(placement_.seat().is_crowded);
}

TEST_F(PlacementTest, StaysWhenSeveralCall) {
  for (int i = 0; i < 100; ++i) {
    call_far(&first_, {kElsewhere, true});
    call_far(&second_, {kElsewhere, true});
  }
  EXPECT_TRUE(moved_.to.empty());
}

TEST_F(PlacementTest, StaysWhenCallsAreAnsweredAtOnce) {
  for (int i = 0; i < 100; ++i) call_near(&first_, {kElsewhere, true});
  EXPECT_TRUE(moved_.to.empty());
}

TEST_F(PlacementTest, SharesNoMoreWhenAnotherCalls) {
  join();
  call_far(&second_, {kElsewhere, false});
  EXPECT_FALSE(placement_.seat().is_crowded);
}

TEST_F(PlacementTest, SharesNoMoreWhenCallsAreAnsweredAtOnceForSomeTime) {
  join();
  for (unsigned i = 1; i < Placement::kEnough; ++i) call_near(&first_, {here_, false});
  EXPECT_TRUE(placement_.seat().is_crowded);
  call_near(&first_, {here_, false});
  EXPECT_FALSE(placement_.seat().is_crowded);
}

TEST_F(PlacementTest, PartsOfALongMessageAreNoCallsAnsweredAtOnce) {
  for (unsigned i = 0; i < Placement::kEnough; ++i) {
    placement_.asked(&first_);
    for (int part = 0; part < 100; ++part) placement_.answered({kElsewhere, true}, false);
    placement_.asked_others({kElsewhere, true});
    placement_.act(now_);
    placement_.answered({kElsewhere, true}, false);
  }
  EXPECT_EQ(moved_.to, std::vector{kElsewhere});
}

TEST_F(PlacementTest, ACallerThatIsGoneIsNotFollowed) {
  call_often();
  placement_.asked(&first_);
  placement_.asked_others({kElsewhere, false});  // and dies
  placement_.forget_caller();
  EXPECT_TRUE(placement_.lost_core(true, now_ + 1s));
  placement_.act(now_);
  EXPECT_TRUE(moved_.to.empty());
}

TEST_F(PlacementTest, GivesTheCoreUpToAClientThatComputesOnIt) {
  join();
  EXPECT_TRUE(placement_.lost_core(true, now_));
}

TEST_F(PlacementTest, LeavesAfterAPauseOnceTheClientIsAwake) {
  join();
  call_far(&first_, {here_, false}, true);
  EXPECT_TRUE(placement_.seat().is_crowded);
  now_ += Placement::kFirstPause;
  call_far(&first_, {here_, false}, true);
  EXPECT_FALSE(placement_.seat().is_crowded);  // from here on the client does not sleep
  EXPECT_EQ(moved_.away, 0);
  call_far(&first_, {here_, false}, true);  // one that slept all the same
  EXPECT_EQ(moved_.away, 0);
  call_far(&first_, {here_, false}, false);
  EXPECT_EQ(moved_.away, 1);
}

TEST_F(PlacementTest, SharesTheCoreAgainWithAClientThatSleepsAllTheTime) {
  join();
  now_ += Placement::kFirstPause;
  call_far(&first_, {here_, false}, true);
  EXPECT_FALSE(placement_.seat().is_crowded);
  now_ += Placement::kFirstPause;
  call_far(&first_, {here_, false}, true);
  EXPECT_TRUE(placement_.seat().is_crowded);
  now_ += 2 * Placement::kFirstPause - 1us;
  call_far(&first_, {here_, false}, true);
  EXPECT_TRUE(placement_.seat().is_crowded);
  now_ += 1us;
  call_far(&first_, {here_, false}, true);
  EXPECT_FALSE(placement_.seat().is_crowded);
  EXPECT_EQ(moved_.away, 0);
  call_far(&first_, {here_, false}, false);
  EXPECT_EQ(moved_.away, 1);
}

TEST_F(PlacementTest, ComesBackAtOnceAndTriesMoreSeldomEachTime) {
  join();
  auto pause = Placement::kFirstPause;
  for (int i = 0; i < 12; ++i) {
    const int before = moved_.away;
    now_ += pause - 1us;
    call_far(&first_, {here_, false}, true);
    call_far(&first_, {here_, false}, false);
    ASSERT_EQ(moved_.away, before) << i;
    now_ += 1us;
    call_far(&first_, {here_, false}, true);
    call_far(&first_, {here_, false}, false);
    ASSERT_EQ(moved_.away, before + 1) << i;
    call_far(&first_, {kElsewhere, true});
    ASSERT_EQ(moved_.to.size(), static_cast<std::size_t>(before) + 2) << i;
    pause = std::min(2 * pause, Placement::kLongestPause);
  }
  EXPECT_EQ(pause, Placement::kLongestPause);
}

TEST_F(PlacementTest, ComesBackAlsoWhenItLosesItsOwnCoreOnceJustAfter) {
  const auto lose_once = [this] {
    placement_.asked(&first_);
    placement_.asked_others({kElsewhere, false});
    EXPECT_FALSE(placement_.lost_core(false, now_));
    placement_.act(now_);
    placement_.answered({kElsewhere, false}, false);
  };
  for (unsigned i = 0; i < Placement::kEnough; ++i) lose_once();
  EXPECT_TRUE(moved_.to.empty());  // it never shared: once was an interrupt
  call_far(&first_, {kElsewhere, true});
  ASSERT_EQ(moved_.to.size(), 1U);
  now_ += Placement::kFirstPause;
  call_far(&first_, {here_, false}, true);
  call_far(&first_, {here_, false}, false);
  ASSERT_EQ(moved_.away, 1);
  lose_once();
  EXPECT_EQ(moved_.to.size(), 2U);
}

TEST_F(PlacementTest, AMoveThatIsNotAllowedChangesNothing) {
  int tried = 0;
  Placement placement({[&](Core) { return ++tried, false; }, [] { return false; }});
  const auto call_for = [&](std::chrono::milliseconds time) {
    for (const auto end = now_ + time; now_ < end; now_ += 10us) {
      placement.asked(&first_);
      placement.asked_others({kElsewhere, true});
      placement.act(now_);
      placement.answered({kElsewhere, true}, false);
    }
  };
  call_for(1s);
  EXPECT_FALSE(placement.seat().is_crowded);
  EXPECT_GE(tried, 8);  // after 1, 2, 4 ... 256 ms
  EXPECT_LE(tried, 12);
}

TEST_F(PlacementTest, GivesTheCoreUpOnlyWhenNoClientHasCalledLately) {
  EXPECT_TRUE(placement_.lost_core(true, now_));
  call_near(&first_, {kElsewhere, false});
  EXPECT_FALSE(placement_.lost_core(true, now_));
  EXPECT_FALSE(placement_.lost_core(true, now_ + Placement::kSoon));
  EXPECT_TRUE(placement_.lost_core(true, now_ + Placement::kSoon + 1us));
}

// None where more are possible than a cpu_set_t has room for: there nothing is moved.
std::vector<bool> allowed() {
  cpu_set_t set;
  std::vector<bool> cores;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int i = 0; i < CPU_SETSIZE; ++i) cores.push_back(CPU_ISSET(i, &set));
  return cores;
}

TEST(Core, AMoveLeavesTheThreadFree) {
  const std::vector<bool> before = allowed();
  if (before.empty()) GTEST_SKIP() << kMayNotStay;
  for (Core core = 1; core <= before.size(); ++core) EXPECT_EQ(move_to(core), before[core - 1]) << core;
  EXPECT_EQ(allowed(), before);
  move_away();
  EXPECT_EQ(allowed(), before);
}

TEST(Core, ThereIsNoOtherThanTheOnlyOne) {
  const StayHere stay;
  if (!stay) GTEST_SKIP() << kMayNotStay;
  EXPECT_FALSE(move_away());
  EXPECT_TRUE(move_to(this_core()));
}

TEST(Core, OneThatIsNoneIsRefused) {
  EXPECT_FALSE(move_to(0));
  EXPECT_FALSE(move_to(CPU_SETSIZE + 1));
  EXPECT_FALSE(move_to(~Core{0}));
}

TEST(Seat, GoesThroughAWord) {
  for (const Seat seat : {Seat{}, Seat{1, true}, Seat{4096, false}}) {
    const Seat back = Seat::from(seat.word());
    EXPECT_EQ(back.core, seat.core);
    EXPECT_EQ(back.is_crowded, seat.is_crowded);
  }
}

}  // namespace
}  // namespace weir::transport::detail
