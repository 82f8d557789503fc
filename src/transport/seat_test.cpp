// What clients and workers tell each other about their cores: both ends say it, and both listen.
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <sched.h>

#include "transport/detail/connection.hpp"
#include "transport/detail/core.hpp"
#include "transport/detail/layout.hpp"
#include "transport/detail/ring.hpp"
#include "transport/fake_host_test.hpp"
#include "transport/host_test.hpp"
#include "transport/stay_here_test.hpp"

namespace weir::transport {
namespace {

using namespace std::chrono_literals;
using detail::Frame;
using detail::Seat;
using Clock = std::chrono::steady_clock;
constexpr auto kLong = 20s;
constexpr int kManyCalls = 20'000;

// A worker, and a client that says what it likes about its core. Both are on the same one.
class WorkersSeat : public testing::Test {
 protected:
  void SetUp() override {
    if (!stay_) GTEST_SKIP() << kMayNotStay;
    host_ = std::move(Host::listen(job_.host).value());
    // "far" is answered later, as if another server had been asked.
    host_->serve(0, [this](std::uint64_t, const Bytes& request, Respond respond) {
      if (as_text(request) == "near") return std::move(respond)({});
      auto kept = std::make_shared<Respond>(std::move(respond));
      thread_.loop().post([kept] { std::move (*kept)({}); });
    });
    thread_.loop().add(host_->source(0));
    thread_.start();
    connection_ = std::move(detail::make_connection(job_.client, kLong).value());
  }
  void TearDown() override {
    thread_.stop();
    if (host_) thread_.loop().remove(host_->source(0));
  }

  void call(std::string_view what, Seat from) {
    auto& memory = connection_.memory.as<detail::ClientMemory>();
    detail::Slot& slot = memory.slots[0];
    slot.head.frame = static_cast<std::uint32_t>(Frame::request);
    slot.head.total = what.size();
    slot.head.length = static_cast<std::uint32_t>(what.size());
    slot.head.seat = from.word();
    std::copy_n(as_bytes(what).begin(), what.size(), slot.bytes);
    slot.head.turn = detail::kServersTurn;
    memory.ready[0].set |= 1;
    if (word().sleeping != 0) detail::ring(connection_.bells[0].get());
    while (slot.head.turn != detail::kClientsTurn) ::sched_yield();
  }
  Seat seat() { return Seat::from(word().seat); }
  const detail::WorkerWord& word() const { return connection_.page.as<detail::HostMemory>().workers[0]; }

  StayHere stay_;
  const detail::Core here_ = detail::this_core();
  Job job_;
  std::unique_ptr<Host> host_;
  LoopThread thread_;
  detail::Connection connection_;
};

TEST_F(WorkersSeat, IsTheClientsOnceThatSaysThatItsCoreIsCrowdedAndOthersAreAsked) {
  bool shares = false;
  for (int i = 0; i < kManyCalls && !shares; ++i) {
    call("far", {here_, true});
    EXPECT_EQ(seat().core, here_);
    shares = seat().is_crowded;
  }
  EXPECT_TRUE(shares);
}

TEST_F(WorkersSeat, IsNobodysWhereCallsAreAnsweredAtOnce) {
  for (int i = 0; i < 1000; ++i) {
    call("near", {here_, true});
    ASSERT_FALSE(seat().is_crowded);
  }
}

// A client, and a server on its core that takes longer for its answers than who merely looks whether there is
// something to do.
class ClientsSeat : public testing::Test {
 protected:
  void SetUp() override {
    if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "a client does not spin on the only core";
    std::thread greeting([this] { host_.greet(detail::Verdict::welcome, job_.client.version); });
    channel_ = job_.connect();
    greeting.join();
    ASSERT_NE(channel_, nullptr);
    if (!stay_.emplace()) GTEST_SKIP() << kMayNotStay;
    here_ = detail::this_core();
  }

  // Whether the client says in one of so many calls that others have its core.
  bool says_crowded(int calls) {
    std::atomic<bool> crowded = false;
    std::atomic<bool> over = false;
    std::thread server([&] {
      while (!over) {
        ::sched_yield();
        if (!host_.take()) continue;
        const Seat from = Seat::from(host_.head().seat);
        EXPECT_EQ(from.core, here_);
        if (from.is_crowded) crowded = true;
        const auto end = Clock::now() + 10us;
        while (Clock::now() < end) continue;
        host_.answer();
      }
    });
    for (int i = 0; i < calls && !crowded; ++i) EXPECT_TRUE(channel_->call(0, {}, kLong));
    over = true;
    server.join();
    return crowded;
  }

  std::optional<StayHere> stay_;
  detail::Core here_ = 0;
  Job job_;
  FakeHost host_{job_.host.socket};
  std::unique_ptr<Channel> channel_;
};

TEST_F(ClientsSeat, IsCrowdedWhenOthersHaveItsCore) {
  host_.bells.say_seat(0, {here_ + 1, false});
  EXPECT_TRUE(says_crowded(kManyCalls));
}

TEST_F(ClientsSeat, IsNotCrowdedByItsServer) {
  host_.bells.say_seat(0, {here_, false});
  EXPECT_FALSE(says_crowded(300));
}

TEST_F(ClientsSeat, IsNotCrowdedByAServerThatHadToBeWoken) {
  host_.bells.say_seat(0, {here_ + 1, false});
  host_.bells.say_asleep(0);
  EXPECT_FALSE(says_crowded(300));
}

TEST_F(ClientsSeat, IsNotCrowdedByAServerThatSharesTheCore) {
  host_.bells.say_seat(0, {here_, true});
  EXPECT_FALSE(says_crowded(300));
}

}  // namespace
}  // namespace weir::transport
