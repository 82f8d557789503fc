#include "burst/asking.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "burst/test_cluster.hpp"

namespace weir::burst {
namespace {

using namespace std::chrono_literals;
using transport::Respond;

// One who asks and one who is asked, in one loop.
struct Askings : testing::Test {
  using Clock = std::chrono::steady_clock;

  Askings() {
    join(asker, 0);
    join(asked, 1);
  }

  void join(std::unique_ptr<transport::Fabric>& end, std::uint32_t number) {
    end = net.make(loop, number == 0 ? "mem:asker" : "mem:asked");
    end->set_peers({"mem:asker", "mem:asked"}, number);
    end->serve([this](std::uint32_t, const Bytes&, Respond respond) {
      requests.push_back(std::move(respond));
      if (on_request) on_request();
    });
    loop.add(*end);
  }

  void answer_last() { std::move(requests.back())(Bytes(7)); }
  // One after the other, each takes `time`.
  void answer_slowly(Clock::duration time) {
    on_request = [this, time] {
      free_at = std::max(free_at, Clock::now()) + time;
      loop.after(free_at - Clock::now(),
                 [this, i = requests.size() - 1] { std::move(requests[i])(Bytes(7)); });
    };
  }
  bool owes_answers() const {
    return std::ranges::any_of(requests, [](const Respond& one) { return static_cast<bool>(one); });
  }

  // Runs until there is an end.
  void ask(std::chrono::nanoseconds again, std::chrono::nanoseconds limit) {
    asks.ask(*asker,
             {.to = 1,
              .request = Bytes(1),
              .patience = {.deadline = Clock::now() + limit, .unreachable_for = limit, .again = again},
              .is_wanted = [this] { return is_wanted; },
              .done =
                  [this](Result<Bytes> result) {
                    ++ends;
                    is_answered = result && result->size() == 7;
                    loop.stop();
                  }});
    loop.run();
  }
  void run_for(std::chrono::nanoseconds time) {
    loop.after(time, [this] { loop.stop(); });
    loop.run();
  }

  transport::Loop loop;
  transport::InProcessNet net;
  std::vector<Respond> requests;
  Asker asks{loop};
  std::unique_ptr<transport::Fabric> asker, asked;
  std::function<void()> on_request;
  Clock::time_point free_at;
  bool is_wanted = true;
  int ends = 0;
  bool is_answered = false;
};

TEST_F(Askings, WhatIsAnsweredAtOnceIsAskedOnce) {
  on_request = [this] { answer_last(); };
  ask(5s, 30s);
  EXPECT_TRUE(is_answered);
  EXPECT_EQ(requests.size(), 1U);
}

// Each answer comes long after the next asking.
TEST_F(Askings, AnAnswerThatComesLateCountsOnce) {
  answer_slowly(100ms);
  ask(10ms, 5s);
  EXPECT_TRUE(is_answered);
  EXPECT_GT(requests.size(), 1U);
  while (owes_answers()) run_for(10ms);
  run_for(10ms);
  EXPECT_EQ(ends, 1);
}

// It would be asked eighty times at a fixed pace.
TEST_F(Askings, WhoIsSlowIsNotGivenMoreAndMoreToDo) {
  answer_slowly(400ms);
  ask(5ms, 30s);
  EXPECT_TRUE(is_answered);
  EXPECT_LT(requests.size(), 10U);
}

TEST_F(Askings, WhoWasSlowIsGivenMoreTimeForTheNext) {
  answer_slowly(100ms);
  ask(10ms, 30s);
  EXPECT_TRUE(is_answered);
  while (owes_answers()) run_for(10ms);
  requests.clear();
  on_request = [this] {
    if (requests.size() == 2) answer_last();
  };
  const auto begin = Clock::now();
  ask(10ms, 30s);
  EXPECT_TRUE(is_answered);
  EXPECT_GE(Clock::now() - begin, 200ms);
}

// What was lost is not answered ever, the rest late.
TEST_F(Askings, WhoIsSlowIsHeardThoughTheFirstWasLost) {
  net.cut("mem:asker", "mem:asked");
  loop.after(25ms, [this] { net.restore("mem:asker", "mem:asked"); });
  answer_slowly(100ms);
  ask(10ms, 10s);
  EXPECT_TRUE(is_answered);
}

TEST_F(Askings, WhoIsGoneIsAskedWhenItIsBack) {
  loop.remove(*asked);
  asked.reset();
  loop.after(50ms, [this] { join(asked, 1); });
  on_request = [this] { answer_last(); };
  ask(20s, 30s);  // it is not the pause that it waits for
  EXPECT_TRUE(is_answered);
  EXPECT_EQ(requests.size(), 1U);
}

TEST_F(Askings, WhoIsGoneForTooLongIsGivenUp) {
  loop.remove(*asked);
  asked.reset();
  const auto begin = Clock::now();
  ask(10ms, 100ms);
  EXPECT_FALSE(is_answered);
  EXPECT_GE(Clock::now() - begin, 90ms);
}

TEST_F(Askings, TheTimeEndsWithoutAnAnswer) {
  const auto begin = Clock::now();
  ask(10ms, 100ms);
  EXPECT_FALSE(is_answered);
  EXPECT_GE(Clock::now() - begin, 90ms);
  const std::size_t often = requests.size();
  run_for(200ms);
  EXPECT_EQ(requests.size(), often);
  EXPECT_EQ(ends, 1);
}

TEST_F(Askings, WhatNobodyWantsAnyMoreIsNotAskedAgain) {
  is_wanted = false;
  ask(10ms, 30s);
  EXPECT_FALSE(is_answered);
  run_for(100ms);
  EXPECT_EQ(requests.size(), 1U);
  EXPECT_EQ(ends, 1);
}

// Every answer takes three times as long as servers wait before they ask again.
TEST(SlowNet, FilesOfOtherNodesAreWrittenAndRead) {
  TestCluster cluster(2, 1, {.shortest_delay = 80ms, .longest_delay = 80ms});
  ASSERT_LT(cluster.job().again_ms, 160U);
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  for (int i = 0; i < 4; ++i) {  // owned by either
    const std::string name = "f" + std::to_string(i);
    const auto writer = open_with(*one, name, "session");
    ASSERT_NE(writer, nullptr);
    ASSERT_EQ(write_text(*writer, "hello", 0), 0);
    ASSERT_EQ(writer->close(), 0);
    const auto reader = open_with(*two, name, "session");
    ASSERT_NE(reader, nullptr);
    ASSERT_EQ(read_text_at(*reader, 5, 0), "hello");
  }
}

}  // namespace
}  // namespace weir::burst
