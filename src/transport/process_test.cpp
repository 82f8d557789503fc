// Clients and servers as processes: killed, forked, restarted.
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.hpp"
#include "transport/again_test.hpp"
#include "transport/host_test.hpp"

namespace weir::transport {
namespace {

using namespace std::chrono_literals;
constexpr auto kLong = 20s;

void tell(Again& process, const Job& job) {
  process.say(job.host.socket);
  process.say(job.host.secret.hex());
}
ChannelOptions hear_job() {
  ChannelOptions options;
  options.socket = hear_order();
  options.secret = Secret::parse(hear_order()).value();
  options.version = 7;
  return options;
}

// Calls with short and long requests from two threads until it is killed.
TEST(Process, DISABLED_CallForever) {
  auto channel = Channel::connect(hear_job(), kLong);
  ASSERT_TRUE(channel) << channel.error().text();
  report("calling");
  const auto call = [&](std::size_t size) {
    const Bytes request(size);
    while ((*channel)->call(static_cast<unsigned>(size % 2), request, kLong)) {
    }
  };
  std::thread other(call, 300'000);
  call(1);
  other.join();
}

TEST(Process, AClientKilledAtAnyPointDisturbsNobody) {
  const Job job(2);
  std::mutex mutex;
  std::map<std::uint64_t, pid_t> there;
  std::atomic<int> left = 0;
  EchoServer server(job.host);
  server.host->on_join([&](std::uint64_t client, pid_t pid) {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(there.emplace(client, pid).second);
  });
  server.host->on_leave([&](std::uint64_t client) {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(there.erase(client), 1U);
    ++left;
  });
  server.start();
  const auto channel = job.connect();
  Random random(20);
  for (int round = 0; round < 20; ++round) {
    Again client("Process.DISABLED_CallForever");
    tell(client, job);
    ASSERT_EQ(client.hear(), "calling");
    for (std::uint64_t i = random.below(300); i > 0; --i) ASSERT_TRUE(channel->call(0, as_bytes("x"), kLong));
    client.kill();
    const int expected = round + 1;
    while (left < expected) ASSERT_TRUE(channel->call(1, as_bytes("y"), kLong));  // hangs when nobody notices
  }
  const std::lock_guard lock(mutex);
  EXPECT_EQ(there.size(), 1U);
  EXPECT_EQ(server.host->counts().condemned, 0U);
}

// A client with a forked child that outlives it.
TEST(Process, DISABLED_Fork) {
  auto channel = Channel::connect(hear_job(), kLong);
  ASSERT_TRUE(channel) << channel.error().text();
  ASSERT_TRUE((*channel)->call(0, as_bytes("x"), kLong));
  int wait[2], result[2];
  ASSERT_EQ(::pipe(wait), 0);
  ASSERT_EQ(::pipe(result), 0);
  if (::fork() == 0) {
    const auto answer = (*channel)->call(0, as_bytes("x"), kLong);
    const char verdict = !answer && answer.error().code() == Errc::usage ? 'y' : 'n';
    channel->reset();  // leaves the parent's connection as it is
    [[maybe_unused]] const auto wrote = ::write(result[1], &verdict, 1);
    char byte = 0;
    [[maybe_unused]] const auto got = ::read(0, &byte, 1);  // until the test ends
    ::_exit(0);
  }
  char verdict = 0;
  ASSERT_EQ(::read(result[0], &verdict, 1), 1);
  EXPECT_EQ(verdict, 'y');
  EXPECT_TRUE((*channel)->call(0, as_bytes("x"), kLong));
  if (!HasFailure()) report("forked");
  hear_order();
}

TEST(Process, AForkedChildCannotCallAndDoesNotHideItsParentsDeath) {
  const Job job;
  std::promise<void> left;
  EchoServer server(job.host);
  server.host->on_leave([&](std::uint64_t) { left.set_value(); });
  server.start();
  Again client("Process.DISABLED_Fork");
  tell(client, job);
  ASSERT_EQ(client.hear(), "forked");
  client.kill();  // its child still holds the socket
  left.get_future().wait();
}

// A server that answers everything but "keep".
TEST(Process, DISABLED_Serve) {
  const ChannelOptions told = hear_job();
  HostOptions options;
  options.socket = told.socket;
  options.secret = told.secret;
  options.version = told.version;
  std::vector<Respond> kept;
  EchoServer server(options);
  server.host->serve(0, [&](std::uint64_t client, Bytes request, Respond respond) {
    if (as_text(request) == "keep")
      kept.push_back(std::move(respond));
    else
      std::move(respond)(to_bytes(fmt::format("{}", client)));
  });
  server.start();
  report("serving");
  hear_order();
}

TEST(Process, AKilledServerEndsCallsAndClientsComeBackToTheNextOne) {
  Job job;
  for (int round = 0; round < 5; ++round) {
    Again server("Process.DISABLED_Serve");
    tell(server, job);
    const auto channel = job.connect();
    ASSERT_NE(channel, nullptr);
    if (round > 0) {
      EXPECT_EQ(channel->client(), job.client.resume);
    }
    job.client.resume = channel->client();
    std::vector<std::thread> callers;
    for (int i = 0; i < 3; ++i)
      callers.emplace_back([&] {
        const auto answer = channel->call(0, as_bytes("keep"), 1h);
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().code(), Errc::io);
      });
    const auto answer = channel->call(0, as_bytes("who am I"), kLong);
    ASSERT_TRUE(answer) << answer.error().text();
    EXPECT_EQ(to_text(*answer), std::to_string(channel->client()));
    server.kill();
    for (auto& caller : callers) caller.join();  // at once, not after an hour
    EXPECT_FALSE(channel->call(0, as_bytes("x"), 1h));
    EXPECT_TRUE(channel->is_gone());
  }
}

TEST(Process, AChannelsDescriptorsStayOutOfTheWay) {
  const Job job(3);
  EchoServer server(job.host);
  server.start();
  const auto channel = job.connect();
  ASSERT_EQ(channel->descriptors().size(), 4U);
  for (const int fd : channel->descriptors()) {
    EXPECT_GE(fd, 1000);
    EXPECT_EQ(::fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  }
}

}  // namespace
}  // namespace weir::transport
