#include "transport/host.hpp"

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transport/fake_host_test.hpp"
#include "transport/host_test.hpp"

namespace weir::transport {
namespace {

using namespace std::chrono_literals;
constexpr auto kLong = 20s;

TEST(Host, AnswersACall) {
  const Job job;
  EchoServer server(job.host);
  server.start();
  const auto channel = job.connect();
  const auto answer = channel->call(0, as_bytes("abc"), kLong);
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(to_text(*answer), "cba");
  const auto empty = channel->call(0, {}, kLong);
  ASSERT_TRUE(empty) << empty.error().text();
  EXPECT_TRUE(empty->empty());
}

TEST(Host, LongMessagesGoInParts) {
  const Job job;
  EchoServer server(job.host);
  server.start();
  const auto channel = job.connect();
  for (const std::size_t size : {std::size_t{65503}, std::size_t{65504}, std::size_t{65505},
                                 std::size_t{131008}, std::size_t{5'000'000}}) {
    Bytes request(size);
    for (std::size_t i = 0; i < size; ++i) request[i] = static_cast<std::byte>(i * 7 + i / 251);
    const auto answer = channel->call(0, request, kLong);
    ASSERT_TRUE(answer) << answer.error().text();
    std::reverse(request.begin(), request.end());
    EXPECT_TRUE(*answer == request) << size;
  }
}

TEST(Host, ARequestBeyondTheLimitIsRefusedHere) {
  const Job job;
  EchoServer server(job.host);
  server.start();
  const auto channel = job.connect();
  const auto answer = channel->call(0, Bytes(kLongestMessage + 1), kLong);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Errc::too_big);
  EXPECT_TRUE(channel->call(0, as_bytes("x"), kLong));
  EXPECT_EQ(channel->call(1, as_bytes("x"), kLong).error().code(), Errc::usage);
}

TEST(Host, ManyThreadsOfAClientAndManyClientsCallAllWorkers) {
  const Job job(3);
  EchoServer server(job.host);
  server.start();
  constexpr int kClients = 3, kThreads = 40 / kClients + 20;  // more than there are slots
  std::vector<std::unique_ptr<Channel>> channels;
  for (int i = 0; i < kClients; ++i) channels.push_back(job.connect());
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int client = 0; client < kClients; ++client)
    for (int thread = 0; thread < kThreads; ++thread)
      threads.emplace_back([&, client, thread] {
        for (int i = 0; i < 30; ++i) {
          std::string text = fmt::format("{}-{}-{}-", client, thread, i);
          if (i % 10 == 9) text.resize(200'000, 'z');
          const auto answer = channels[static_cast<std::size_t>(client)]->call(static_cast<unsigned>(i % 3),
                                                                               as_bytes(text), kLong);
          if (answer &&
              std::equal(answer->rbegin(), answer->rend(), as_bytes(text).begin(), as_bytes(text).end()))
            ++good;
        }
      });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, kClients * kThreads * 30);
}

TEST(Host, AnswersMayComeLaterAndInAnyOrder) {
  const Job job;
  std::vector<std::pair<Bytes, Respond>> kept;
  EchoServer server(job.host);
  server.host->serve(0, [&](std::uint64_t, Bytes request, Respond respond) {
    kept.emplace_back(std::move(request), std::move(respond));
    if (kept.size() < 5) return;
    while (!kept.empty()) {
      std::move(kept.back().second)(std::move(kept.back().first));
      kept.pop_back();
    }
  });
  server.start();
  const auto channel = job.connect();
  std::vector<std::thread> threads;
  for (int i = 0; i < 5; ++i)
    threads.emplace_back([&, i] {
      const auto answer = channel->call(0, as_bytes(fmt::format("{}", i)), kLong);
      ASSERT_TRUE(answer);
      EXPECT_EQ(to_text(*answer), fmt::format("{}", i));
    });
  for (auto& thread : threads) thread.join();
}

TEST(Host, ADroppedRequestIsAnErrorAndNotAHang) {
  const Job job;
  EchoServer server(job.host);
  server.host->serve(0, [](std::uint64_t, Bytes, Respond) {});
  server.start();
  const auto channel = job.connect();
  const auto answer = channel->call(0, as_bytes("x"), kLong);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Errc::io);
  EXPECT_NE(answer.error().text().find("unanswered"), std::string::npos);
}

TEST(Host, ACallEndsAtItsLimitAndItsSlotIsUsedAgainLater) {
  const Job job;
  std::vector<Respond> kept;
  bool keep = true;
  EchoServer server(job.host);
  server.host->serve(0, [&](std::uint64_t, Bytes request, Respond respond) {
    if (keep)
      kept.push_back(std::move(respond));
    else
      std::move(respond)(std::move(request));
  });
  server.start();
  const auto channel = job.connect();
  for (int i = 0; i < 32; ++i) {  // all slots
    const auto answer = channel->call(0, as_bytes("late"), 1ms);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), Errc::io);
  }
  const auto none_left = channel->call(0, as_bytes("x"), 1ms);
  ASSERT_FALSE(none_left);
  // A server that did not get to run within the limit takes the last one yet.
  bool all_came = false;
  for (int i = 0; i < 1000 && !all_came; ++i) {
    if (i > 0) std::this_thread::sleep_for(5ms);
    server.threads[0]->run([&] { all_came = kept.size() == 32; });
  }
  server.threads[0]->run([&] {
    keep = false;
    ASSERT_EQ(kept.size(), 32U);
    for (Respond& respond : kept) std::move(respond)(Bytes(200'000));  // in parts that nobody takes
    kept.clear();
  });
  for (int i = 0; i < 100; ++i) {
    const std::string text = fmt::format("{}", i);
    const auto answer = channel->call(0, as_bytes(text), kLong);
    ASSERT_TRUE(answer) << answer.error().text();
    EXPECT_EQ(to_text(*answer), text);  // not one of the late ones
  }
}

TEST(Host, TellsWhoJoinsAndWhoLeaves) {
  const Job job(2, 8192);
  std::vector<std::string> seen;
  EchoServer server(job.host);
  server.host->on_join([&](std::uint64_t client, pid_t pid) {
    EXPECT_EQ(pid, ::getpid());
    server.host->area(client)[0] = std::byte{42};
    seen.push_back(fmt::format("join {}", client));
  });
  std::promise<void> left;
  server.host->on_leave([&](std::uint64_t client) {
    EXPECT_EQ(server.host->area(client)[1], std::byte{43});
    seen.push_back(fmt::format("leave {}", client));
    left.set_value();
  });
  server.start();
  auto channel = job.connect();
  ASSERT_TRUE(channel->call(1, as_bytes("x"), kLong));
  const std::uint64_t number = channel->client();
  EXPECT_NE(number, 0U);
  ASSERT_EQ(channel->area().size(), 8192U);
  EXPECT_EQ(channel->area()[0], std::byte{42});
  channel->area()[1] = std::byte{43};
  channel.reset();
  left.get_future().wait();
  server.threads[0]->run([&] {
    EXPECT_EQ(seen, (std::vector{fmt::format("join {}", number), fmt::format("leave {}", number)}));
    EXPECT_TRUE(server.host->area(number).empty());
  });
}

TEST(Host, AClientThatComesBackKeepsItsNumber) {
  Job job(2);
  EchoServer server(job.host);
  server.start();
  auto channel = job.connect();
  job.client.resume = channel->client();
  const auto twice = Channel::connect(job.client, 1s);  // while it is still there
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code(), Errc::usage);
  for (int i = 0; i < 20; ++i) {
    channel.reset();
    channel = job.connect();
    EXPECT_EQ(channel->client(), job.client.resume);
    EXPECT_TRUE(channel->call(1, as_bytes("x"), kLong));
  }
}

TEST(Host, RegionsAreSharedByAll) {
  const Job job;
  EchoServer server(job.host);
  UniqueFd region(::memfd_create("region", MFD_CLOEXEC));
  ASSERT_EQ(::ftruncate(region.get(), 4096), 0);
  ASSERT_TRUE(server.host->share(std::move(region), 4096));
  server.start();
  const auto one = job.connect(), other = job.connect();
  ASSERT_EQ(one->region(0).size(), 4096U);
  one->region(0)[7] = std::byte{1};
  EXPECT_EQ(other->region(0)[7], std::byte{1});
  EXPECT_TRUE(other->region(1).empty());
}

TEST(Host, RefusesAWrongSecretAndAnotherVersion) {
  Job job;
  EchoServer server(job.host);
  server.start();
  auto options = job.client;
  options.secret = Secret::make();
  const auto secret = Channel::connect(options, kLong);
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().code(), Errc::unreadable);
  options = job.client;
  options.version = 8;
  const auto version = Channel::connect(options, kLong);
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().code(), Errc::unsupported);
  EXPECT_NE(version.error().text().find("version 7"), std::string::npos);
  EXPECT_EQ(server.host->counts().refused, 2U);
  EXPECT_TRUE(job.connect()->call(0, as_bytes("x"), kLong));
}

TEST(Host, OneOfAnotherProtocolIsNamedAsSuch) {
  const Job job;
  FakeHost host(job.host.socket);
  std::thread greeting([&] { host.greet(detail::Verdict::wrong_version, job.client.version); });
  const auto refused = Channel::connect(job.client, kLong);
  greeting.join();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::unsupported);
  EXPECT_NE(refused.error().text().find("another protocol of the channel"), std::string::npos)
      << refused.error().text();
  EXPECT_NE(refused.error().text().find("install one version of Weir on all nodes"), std::string::npos);
}

TEST(Host, OnlyItsOwnerReachesTheSocket) {
  const Job job;
  const EchoServer server(job.host);
  struct stat status {};
  ASSERT_EQ(::stat(job.host.socket.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  ASSERT_EQ(::stat(std::filesystem::path(job.host.socket).parent_path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  HostOptions open = job.host;
  open.socket = (job.scratch.path() / "open" / "server").string();
  std::filesystem::create_directory(job.scratch.path() / "open");
  ::chmod((job.scratch.path() / "open").c_str(), 0755);
  const auto refused = Host::listen(open);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("0700"), std::string::npos);
}

TEST(Host, OneServerAtATimeAndWhatAKilledOneLeftIsReplaced) {
  const Job job;
  {
    const EchoServer server(job.host);
    const auto second = Host::listen(job.host);
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().text().find("running"), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(job.host.socket));
  std::ofstream(job.host.socket) << "left behind";
  EchoServer server(job.host);
  server.start();
  EXPECT_TRUE(job.connect()->call(0, as_bytes("x"), kLong));
}

TEST(Host, OneThatIsAboutToEndIsWaitedFor) {
  const Job job;
  auto first = std::make_unique<EchoServer>(job.host);
  std::thread ending([&] {
    std::this_thread::sleep_for(100ms);
    first.reset();
  });
  const auto second = Host::listen(job.host);
  ending.join();
  EXPECT_TRUE(second) << second.error().text();
}

TEST(Host, PathsBeyondTheLimitOfASocketAddressWork) {
  Job job;
  job.host.socket = (job.scratch.path() / std::string(100, 'd') / "server").string();
  job.client.socket = job.host.socket;
  {
    EchoServer server(job.host);
    server.start();
    EXPECT_TRUE(job.connect()->call(0, as_bytes("x"), kLong));
  }
  job.host.socket = (job.scratch.path() / "run" / std::string(120, 's')).string();
  const auto refused = Host::listen(job.host);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::usage);
}

TEST(Channel, WithoutAServerItSaysSoWithinTheLimit) {
  const Job job;
  const auto channel = Channel::connect(job.client, 20ms);
  ASSERT_FALSE(channel);
  EXPECT_EQ(channel.error().code(), Errc::io);
}

TEST(Channel, WaitsForAServerThatIsAboutToStart) {
  const Job job;
  std::optional<EchoServer> server;
  std::thread starter([&] {
    server.emplace(job.host);
    server->start();
  });
  EXPECT_TRUE(job.connect()->call(0, as_bytes("x"), kLong));
  starter.join();
}

TEST(Channel, AServerThatStopsEndsWaitingCallsAtOnce) {
  const Job job;
  std::vector<Respond> kept;
  std::promise<void> came;
  EchoServer server(job.host);
  server.host->serve(0, [&](std::uint64_t, Bytes, Respond respond) {
    kept.push_back(std::move(respond));
    came.set_value();
  });
  server.start();
  const auto channel = job.connect();
  std::thread caller([&] {
    const auto answer = channel->call(0, as_bytes("x"), 1h);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), Errc::io);
  });
  came.get_future().wait();
  server.stop();
  caller.join();
  EXPECT_TRUE(channel->is_gone());
  EXPECT_FALSE(channel->call(0, as_bytes("x"), 1h));
  kept.clear();  // too late, and harmless
}

}  // namespace
}  // namespace weir::transport
