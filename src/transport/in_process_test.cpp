#include "transport/in_process.hpp"

#include <atomic>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "transport/host_test.hpp"
#include "transport/loop_test.hpp"

namespace weir::transport {
namespace {

using namespace std::chrono_literals;
constexpr auto kLong = 20s;

// Servers in threads of their own, each with a fabric; every request is answered with itself and the asker's
// number.
struct Servers {
  struct Server {
    LoopThread thread;
    std::unique_ptr<Fabric> fabric;
    std::atomic<int> handled = 0;
    std::vector<Respond> kept;
  };

  Servers(InProcessNet& the_net, unsigned count) : net(the_net) {
    for (unsigned i = 0; i < count; ++i) {
      all.push_back(std::make_unique<Server>());
      addresses.push_back(fmt::format("mem:{}", i));
      open(i);
    }
    for (auto& server : all) server->thread.start();
  }
  ~Servers() {
    for (unsigned i = 0; i < all.size(); ++i) {
      all[i]->thread.stop();
      if (all[i]->fabric) close(i);
    }
  }
  void open(unsigned i) {
    Server& server = *all[i];
    server.fabric = net.make(server.thread.loop(), addresses[i]);
    std::vector<std::string> peers;
    for (unsigned peer = 0; peer < 4; ++peer) peers.push_back(fmt::format("mem:{}", peer));
    server.fabric->set_peers(peers, i);
    server.fabric->serve([&server](std::uint32_t from, Bytes request, Respond respond) {
      ++server.handled;
      const auto text = to_text(request);
      if (text == "drop") return;
      if (text == "no message") return std::move(respond).blame(to_bytes("what?"));
      if (text == "keep") {
        server.kept.push_back(std::move(respond));
        return;
      }
      std::move(respond)(to_bytes(fmt::format("{} from {}", text, from)));
    });
    server.thread.loop().add(*server.fabric);
  }
  void close(unsigned i) {
    all[i]->thread.loop().remove(*all[i]->fabric);
    all[i]->fabric.reset();
  }
  // Calls and waits for the end.
  Result<Bytes> call(unsigned from, std::uint32_t to, std::string_view text,
                     std::chrono::nanoseconds limit = kLong) {
    std::promise<Result<Bytes>> end;
    Server& server = *all[from];
    server.thread.loop().post([&] {
      server.fabric->call(to, to_bytes(text), limit,
                          [&](Result<Bytes> result) { end.set_value(std::move(result)); });
    });
    return end.get_future().get();
  }

  InProcessNet& net;
  std::vector<std::string> addresses;
  std::vector<std::unique_ptr<Server>> all;
};

TEST(InProcess, AnswersACall) {
  InProcessNet net;
  Servers servers(net, 2);
  const auto answer = servers.call(0, 1, "hello");
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(to_text(*answer), "hello from 0");
  const auto own = servers.call(1, 1, "me");
  ASSERT_TRUE(own) << own.error().text();
  EXPECT_EQ(to_text(*own), "me from 1");
}

TEST(InProcess, ADroppedRequestIsAnError) {
  InProcessNet net;
  Servers servers(net, 2);
  const auto answer = servers.call(0, 1, "drop");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Errc::io);
}

TEST(InProcess, NobodyThereIsAnErrorAtOnce) {
  InProcessNet net;
  Servers servers(net, 2);
  const auto answer = servers.call(0, 3, "hello", 1h);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Errc::io);
}

TEST(InProcess, APeerThatEndsEndsItsCallsAndCanComeBack) {
  InProcessNet net(1, {.shortest_delay = 1h, .longest_delay = 1h});
  Servers servers(net, 2);
  std::promise<Result<Bytes>> end;
  servers.all[0]->thread.run([&] {
    servers.all[0]->fabric->call(1, to_bytes("never arrives"), 2h,
                                 [&](Result<Bytes> result) { end.set_value(std::move(result)); });
  });
  servers.all[1]->thread.run([&] { servers.close(1); });
  const auto lost = end.get_future().get();
  ASSERT_FALSE(lost);
  EXPECT_NE(lost.error().text().find("gone"), std::string::npos);
  net.set_faults({});
  servers.all[1]->thread.run([&] { servers.open(1); });
  EXPECT_TRUE(servers.call(0, 1, "again"));
}

TEST(InProcess, WhoSendsWhatIsNoMessageIsToldAndLosesItsOtherCallsThere) {
  InProcessNet net(1, {.shortest_delay = 0ns, .longest_delay = 1ms});
  Servers servers(net, 3);
  std::promise<Result<Bytes>> end;
  std::promise<Result<Bytes>> others_end;
  const auto keep = [&](unsigned from, std::promise<Result<Bytes>>& told) {
    servers.all[from]->thread.run([&] {
      servers.all[from]->fabric->call(1, to_bytes("keep"), 1h,
                                      [&](Result<Bytes> result) { told.set_value(std::move(result)); });
    });
  };
  keep(0, end);
  keep(2, others_end);
  while (servers.all[1]->handled < 2) std::this_thread::yield();
  const auto told = servers.call(0, 1, "no message");
  ASSERT_TRUE(told) << told.error().text();
  EXPECT_EQ(to_text(*told), "what?");
  EXPECT_FALSE(end.get_future().get());
  EXPECT_TRUE(servers.call(0, 1, "again"));
  servers.all[1]->thread.run([&] {
    for (Respond& respond : servers.all[1]->kept) std::move(respond)(to_bytes("late"));
  });
  EXPECT_TRUE(others_end.get_future().get());
}

TEST(InProcess, AFabricThatEndsEndsTheCallsThatItMade) {
  InProcessNet net(1, {.drop = 1});
  Servers servers(net, 2);
  int ended = 0;
  servers.all[0]->thread.run([&] {
    for (int i = 0; i < 10; ++i)
      servers.all[0]->fabric->call(1, to_bytes("lost"), kLong, [&](Result<Bytes> result) {
        EXPECT_FALSE(result);
        ++ended;
      });
    servers.close(0);
  });
  EXPECT_EQ(ended, 10);
}

TEST(InProcess, CutLinksLoseEverythingUntilTheyAreRestored) {
  InProcessNet net;
  Servers servers(net, 3);
  net.cut("mem:0", "mem:1");
  EXPECT_FALSE(servers.call(0, 1, "x", 5ms));
  EXPECT_FALSE(servers.call(1, 0, "x", 5ms));
  EXPECT_TRUE(servers.call(0, 2, "x"));
  EXPECT_TRUE(servers.call(2, 1, "x"));
  net.restore("mem:1", "mem:0");
  EXPECT_TRUE(servers.call(0, 1, "x"));
}

TEST(InProcess, ALinkKeepsItsOrderUnlessToldOtherwise) {
  for (const bool reorder : {false, true}) {
    InProcessNet net(7, {.shortest_delay = 0ns, .longest_delay = 3ms, .reorder = reorder});
    Servers servers(net, 2);
    std::vector<int> seen;
    std::promise<void> all_came;
    servers.all[1]->thread.run([&] {
      servers.all[1]->fabric->serve([&](std::uint32_t, Bytes request, Respond respond) {
        seen.push_back(std::stoi(to_text(request)));
        std::move(respond)({});
        if (seen.size() == 50) all_came.set_value();
      });
    });
    servers.all[0]->thread.run([&] {
      for (int i = 0; i < 50; ++i)
        servers.all[0]->fabric->call(1, to_bytes(std::to_string(i)), kLong, [](const Result<Bytes>&) {});
    });
    all_came.get_future().wait();
    EXPECT_EQ(std::is_sorted(seen.begin(), seen.end()), !reorder);
  }
}

TEST(InProcess, WhateverHappensEachCallEndsExactlyOnce) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    InProcessNet net(
        seed,
        {.shortest_delay = 0ns, .longest_delay = 400us, .drop = 0.1, .duplicate = 0.2, .reorder = true});
    Servers servers(net, 3);
    constexpr int kCalls = 300;
    std::array<std::atomic<int>, 3 * kCalls> ends{};
    std::atomic<int> ended = 0, good = 0;
    for (unsigned from = 0; from < 3; ++from)
      servers.all[from]->thread.loop().post([&, from] {
        for (unsigned i = 0; i < kCalls; ++i) {
          const unsigned index = from * kCalls + i;
          const std::string text = std::to_string(index);
          servers.all[from]->fabric->call(
              i % 3, to_bytes(text), 60ms, [&, index, text, from](Result<Bytes> result) {
                ++ends[index];
                ++ended;
                if (!result) return;
                EXPECT_EQ(to_text(*result), fmt::format("{} from {}", text, from));
                ++good;
              });
        }
      });
    while (ended < 3 * kCalls) {
      net.cut("mem:0", "mem:2");
      std::this_thread::yield();
      net.restore("mem:0", "mem:2");
      std::this_thread::yield();
    }
    // What is still on its way (duplicates, late answers) must not end a call again.
    for (unsigned from = 0; from < 3; ++from) {
      std::promise<void> later;
      servers.all[from]->thread.loop().post(
          [&] { servers.all[from]->thread.loop().after(2ms, [&] { later.set_value(); }); });
      later.get_future().wait();
    }
    for (const auto& end : ends) EXPECT_EQ(end, 1);
    EXPECT_GT(good, 0);
    EXPECT_LT(good, 3 * kCalls);
    const auto counts = net.counts();
    EXPECT_GT(counts.dropped, 0U);
    EXPECT_GT(counts.duplicated, 0U);
  }
}

TEST(InProcess, TheSameSeedGivesTheSameFates) {
  const auto lost = [](std::uint64_t seed) {
    InProcessNet net(seed, {.drop = 0.3});
    Servers servers(net, 2);
    std::vector<bool> came(60);
    std::promise<void> all_ended;
    int ended = 0;
    servers.all[0]->thread.run([&] {
      for (unsigned i = 0; i < 60; ++i)
        servers.all[0]->fabric->call(1, to_bytes("x"), 10ms, [&, i](Result<Bytes> result) {
          came[i] = result.has_value();
          if (++ended == 60) all_ended.set_value();
        });
    });
    all_ended.get_future().wait();
    const int handled = servers.all[1]->handled;
    return std::pair(handled, net.counts().dropped);
  };
  EXPECT_EQ(lost(3), lost(3));
  EXPECT_NE(lost(3), lost(4));
}

}  // namespace
}  // namespace weir::transport
