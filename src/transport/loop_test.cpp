#include "transport/loop.hpp"

#include <atomic>
#include <ctime>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "transport/loop_test.hpp"
#include "transport/stay_here_test.hpp"

namespace weir::transport {
namespace {

using namespace std::chrono_literals;

// A counter that other threads raise; a source as simple as can be.
class Counter final : public Source {
 public:
  explicit Counter(std::function<void()> told) : told_(std::move(told)) {}
  bool poll() override {
    if (count_.exchange(0) == 0) return false;
    std::uint64_t drained = 0;
    [[maybe_unused]] const auto got = ::read(fd_.get(), &drained, sizeof drained);
    told_();
    return true;
  }
  int descriptor() const override { return fd_.get(); }
  bool arm() override {
    ++armed;
    return count_ == 0;
  }
  void raise() {
    ++count_;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto put = ::write(fd_.get(), &one, sizeof one);
  }
  std::atomic<int> armed = 0;

 private:
  UniqueFd fd_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::atomic<int> count_ = 0;
  std::function<void()> told_;
};

TEST(Loop, RunsWhatIsPostedInOrderAndAllOfItBeforeItStops) {
  Loop loop;
  std::vector<int> seen;
  std::thread poster([&] {
    for (int i = 0; i < 1000; ++i) loop.post([&seen, i] { seen.push_back(i); });
    loop.stop();
  });
  loop.run();
  poster.join();
  ASSERT_EQ(seen.size(), 1000U);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
}

TEST(Loop, StopsEvenWhenStoppedBeforeItRuns) {
  Loop loop;
  loop.stop();
  loop.run();
  bool ran = false;  // and it can run again
  loop.post([&] {
    ran = true;
    loop.stop();
  });
  loop.run();
  EXPECT_TRUE(ran);
}

TEST(Loop, TimersRunInTheOrderOfTheirTimesAndNotEarly) {
  Loop loop;
  std::vector<int> seen;
  const auto begin = std::chrono::steady_clock::now();
  std::chrono::nanoseconds took{};
  loop.after(3ms, [&] {
    seen.push_back(3);
    took = std::chrono::steady_clock::now() - begin;
    loop.stop();
  });
  loop.after(1ms, [&] { seen.push_back(1); });
  const TimerId never = loop.after(2ms, [&] { seen.push_back(2); });
  loop.after(std::chrono::nanoseconds::max(), [&] { seen.push_back(4); });
  loop.cancel(never);
  loop.cancel(never);
  loop.run();
  EXPECT_EQ(seen, (std::vector{1, 3}));
  EXPECT_GE(took, 3ms);
}

TEST(Loop, ATimerThatStartsItselfAgainDoesNotStarveTheRest) {
  Loop loop;
  int turns = 0;
  std::function<void()> again = [&] {
    if (++turns < 100)
      loop.after(0ns, again);
    else
      loop.stop();
  };
  loop.after(0ns, again);
  int turns_before_posted = 100;
  loop.after(0ns, [&] { loop.post([&] { turns_before_posted = turns; }); });
  loop.run();
  EXPECT_EQ(turns, 100);
  EXPECT_LT(turns_before_posted, 100);
}

TEST(Loop, WakesForItsSourceThousandsOfTimesWithoutMissingOne) {
  for (const auto spin : {0ns, 20'000ns}) {  // always asleep, mostly awake
    LoopThread thread(spin);
    std::atomic<int> handled = 0;
    Counter counter([&] { ++handled; });
    thread.loop().add(counter);
    thread.start();
    for (int i = 1; i <= 3000; ++i) {
      counter.raise();
      while (handled < i) std::this_thread::yield();  // hangs here when one is missed
    }
    thread.stop();
    EXPECT_EQ(handled, 3000);
  }
}

TEST(Loop, ASourceMayRemoveItselfWhileItIsPolled) {
  LoopThread thread;
  std::atomic<int> handled = 0;
  Counter* self = nullptr;
  Counter counter([&] {
    ++handled;
    thread.loop().remove(*self);
  });
  self = &counter;
  Counter other([&] { ++handled; });
  thread.loop().add(counter);
  thread.loop().add(other);
  thread.start();
  counter.raise();
  while (handled < 1) std::this_thread::yield();
  counter.raise();
  other.raise();
  while (handled < 2) std::this_thread::yield();
  thread.stop();
  EXPECT_EQ(handled, 2);
}

// Something comes every so many polls, and nothing else happens.
class Ticker final : public Source {
 public:
  bool poll() override {
    if (++polls_ % 64 != 0) return false;
    ++events_;
    return true;
  }
  int descriptor() const override { return fd_.get(); }
  bool arm() override { return false; }
  bool lost_core(bool often) override {
    if (often && events_before_loss < 0) events_before_loss = events_;
    return true;
  }
  std::atomic<int> events_before_loss = -1;

 private:
  UniqueFd fd_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  int polls_ = 0;
  int events_ = 0;
};

TEST(Loop, TellsItsSourcesThatOthersHaveItsCoreWhenTheyHadItInSeveralWaits) {
  const StayHere stay;
  if (!stay) GTEST_SKIP() << kMayNotStay;
  LoopThread thread;
  Ticker ticker;
  thread.loop().add(ticker);
  thread.start();
  while (ticker.events_before_loss < 0) {  // without a break, on the loop's core
  }
  EXPECT_GE(ticker.events_before_loss, static_cast<int>(detail::CoreHabit::kOften) - 1);
  thread.stop();
}

// What a source is that expects an answer, or not.
class Expecting final : public Source {
 public:
  explicit Expecting(bool expects) : expects_(expects) {}
  bool poll() override { return std::exchange(comes, false); }
  int descriptor() const override { return fd_.get(); }
  bool arm() override {
    ++armed;
    return !comes;
  }
  bool expects_more() const override { return expects_; }
  bool lost_core(bool /*often*/) override { return false; }
  bool comes = false;
  int armed = 0;

 private:
  UniqueFd fd_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  bool expects_;
};

TEST(Loop, DoesNotSleepAfterAnEventThatCameAloneWhileAnAnswerIsUnderWay) {
  for (const bool expects : {true, false}) {
    Loop loop(300ms);
    Expecting source(expects);
    loop.add(source);
    int armed = 0;
    loop.after(1500ms, [&] {  // the loop has slept for longer than it spins
      source.comes = true;
      armed = source.armed;
      loop.after(100ms, [&] { loop.stop(); });
    });
    loop.run();
    EXPECT_EQ(source.armed == armed, expects) << expects;
  }
}

double processor_seconds(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST(Loop, IdleItSleepsAlsoWithATimerThatTicks) {
  Loop loop;
  Counter counter([] {});
  loop.add(counter);
  int ticks = 0;
  std::function<void()> tick = [&] {
    ++ticks;
    loop.after(1ms, tick);
  };
  loop.after(1ms, tick);
  loop.after(300ms, [&] { loop.stop(); });
  const double before = processor_seconds(CLOCK_THREAD_CPUTIME_ID);
  loop.run();
  const double used = processor_seconds(CLOCK_THREAD_CPUTIME_ID) - before;
  EXPECT_GT(ticks, 10);
  // Spinning after each tick would be 15 ms, spinning always 300.
  EXPECT_LT(used, 0.015 + 0.0001 * ticks) << ticks << " ticks";
}

}  // namespace
}  // namespace weir::transport
