// Clients that break the rules: the host stays up, drops them, and serves the others.
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/random.hpp"
#include "transport/detail/connection.hpp"
#include "transport/detail/handshake.hpp"
#include "transport/detail/layout.hpp"
#include "transport/detail/parcel.hpp"
#include "transport/detail/ring.hpp"
#include "transport/detail/socket_path.hpp"
#include "transport/host_test.hpp"
#include "transport/wire.hpp"

namespace weir::transport {
namespace {

using namespace std::chrono_literals;
using detail::ClientMemory;
using detail::Frame;
constexpr auto kLong = 20s;

class Hostile : public testing::Test {
 protected:
  Hostile() : server(job.host) {
    server.start();
    good = job.connect();
  }
  detail::Connection connect() { return std::move(detail::make_connection(job.client, kLong).value()); }
  // The host has ended the connection.
  static void expect_dropped(const detail::Connection& connection) {
    std::byte byte{};
    EXPECT_LE(::recv(connection.socket.get(), &byte, 1, MSG_WAITALL), 0);
  }
  void expect_service() {
    const auto answer = good->call(0, as_bytes("abc"), kLong);
    ASSERT_TRUE(answer) << answer.error().text();
    EXPECT_EQ(to_text(*answer), "cba");
    ASSERT_TRUE(good->call(1, as_bytes("abc"), kLong));
  }
  UniqueFd raw_connection() const {
    UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    const auto address = detail::SocketPath::make(job.host.socket).value();
    EXPECT_EQ(::connect(socket.get(), address.get(), sizeof address.address), 0);
    return socket;
  }
  // Makes the connection block again, so that recv() waits.
  static void block(const detail::Connection& connection) {
    const timeval limit{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(connection.socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::fcntl(connection.socket.get(), F_SETFL, 0);
  }

  Job job{2};
  EchoServer server;
  std::unique_ptr<Channel> good;
};

struct Move {
  const char* what;
  Frame frame;
  std::uint32_t turn;
  std::uint64_t total;
  std::uint32_t length;
  std::uint64_t ready;
};

TEST_F(Hostile, EveryBrokenRuleIsNoticed) {
  const Move moves[] = {
      {"not its turn", Frame::request, detail::kClientsTurn, 1, 1, 1},
      {"no such frame", static_cast<Frame>(99), detail::kServersTurn, 1, 1, 1},
      {"a server's frame", Frame::answer, detail::kServersTurn, 1, 1, 1},
      {"takes where nothing is", Frame::take, detail::kServersTurn, 1, 1, 1},
      {"goes on where nothing began", Frame::next, detail::kServersTurn, 1, 1, 1},
      {"too long", Frame::request, detail::kServersTurn, kLongestMessage + 1, 1, 1},
      {"longer than a part", Frame::request, detail::kServersTurn, 1 << 20, detail::kFrameBytes + 1, 1},
      {"longer than the whole", Frame::request, detail::kServersTurn, 5, 6, 1},
      {"an empty part", Frame::request, detail::kServersTurn, 5, 0, 1},
      {"no such slot", Frame::request, detail::kServersTurn, 1, 1, std::uint64_t{1} << 63U},
  };
  std::uint64_t condemned = 0;
  for (const Move& move : moves) {
    SCOPED_TRACE(move.what);
    const detail::Connection connection = connect();
    block(connection);
    auto& memory = connection.memory.as<ClientMemory>();
    auto& head = memory.slots[0].head;
    head.frame = static_cast<std::uint32_t>(move.frame);
    head.total = move.total;
    head.length = move.length;
    head.turn = move.turn;
    memory.ready[1].set = move.ready;
    detail::ring(connection.bells[1].get());
    expect_dropped(connection);
    ++condemned;
    while (server.host->counts().condemned < condemned) std::this_thread::yield();
    expect_service();
  }
}

TEST_F(Hostile, RandomMemoryHarmsNobodyElse) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const detail::Connection connection = connect();
    auto& memory = connection.memory.as<ClientMemory>();
    for (int round = 0; round < 200; ++round) {
      auto& slot = memory.slots[random.below(detail::kSlots)];
      // Mostly what makes some sense, so that it gets further than the first check.
      slot.head.frame = static_cast<std::uint32_t>(random.below(8));
      slot.head.total = random.below(4) == 0 ? random() : random.below(200'000);
      slot.head.length = static_cast<std::uint32_t>(random.below(8) == 0 ? random() : random.below(65'504));
      slot.head.turn = static_cast<std::uint32_t>(random.below(3));
      for (int i = 0; i < 8; ++i)
        slot.bytes[random.below(detail::kFrameBytes)] = static_cast<std::byte>(random());
      memory.ready[random.below(2)].set =
          random.below(3) == 0 ? random() : std::uint64_t{1} << random.below(32);
      detail::ring(connection.bells[random.below(2)].get());
    }
    if (seed % 10 == 0) expect_service();
  }
  expect_service();
  EXPECT_GT(server.host->counts().condemned, 0U);
}

TEST_F(Hostile, WhoGoesOnTalkingAfterTheWelcomeIsDropped) {
  const detail::Connection connection = connect();
  block(connection);
  ASSERT_EQ(::send(connection.socket.get(), "hello?", 6, MSG_NOSIGNAL), 6);
  expect_dropped(connection);
  expect_service();
}

TEST_F(Hostile, RandomBytesOnTheSocketAreRefused) {
  const Bytes proper = pack(detail::Hello{.version = 7, .secret = job.client.secret.bytes});
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    const UniqueFd socket = raw_connection();
    Bytes bytes = proper;
    if (round % 3 == 0) {
      bytes.resize(1 + random.below(20'000));
      for (auto& byte : bytes) byte = static_cast<std::byte>(random());
    } else if (round % 3 == 1) {
      bytes[random.below(16 + 32)] ^= std::byte{1};  // magic, protocol, version or secret
    } else {
      bytes.resize(random.below(bytes.size()));
      if (bytes.empty()) continue;  // an empty message is the end
    }
    ASSERT_EQ(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    Bytes answer(1000);
    const ssize_t got = ::recv(socket.get(), answer.data(), answer.size(), 0);
    if (got > 0) {
      answer.resize(static_cast<std::size_t>(got));
      const auto verdict = unpack<detail::Welcome>(answer);
      ASSERT_TRUE(verdict);
      EXPECT_NE(verdict->verdict, detail::Verdict::welcome);
      EXPECT_LE(::recv(socket.get(), answer.data(), answer.size(), 0), 0);
    }
  }
  expect_service();
  EXPECT_GT(server.host->counts().refused, 150U);
}

TEST_F(Hostile, ManySilentVisitorsDoNotKeepClientsOut) {
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 300; ++i) silent.push_back(raw_connection());
  EXPECT_TRUE(job.connect()->call(0, as_bytes("x"), kLong));
  expect_service();
}

TEST_F(Hostile, NobodyCanShrinkTheMemoryOrWriteTheHostsPage) {
  const UniqueFd socket = raw_connection();
  const Bytes hello = pack(detail::Hello{.version = 7, .secret = job.client.secret.bytes});
  ASSERT_GT(::send(socket.get(), hello.data(), hello.size(), MSG_NOSIGNAL), 0);
  auto parcel = detail::receive_parcel(socket.get());
  while (parcel && !*parcel) parcel = detail::receive_parcel(socket.get());
  ASSERT_TRUE(parcel) << parcel.error().text();
  const auto& descriptors = (*parcel)->descriptors;
  ASSERT_EQ(descriptors.size(), 4U);
  EXPECT_NE(::ftruncate(descriptors[0].get(), 0), 0);
  EXPECT_NE(::ftruncate(descriptors[1].get(), 0), 0);
  EXPECT_FALSE(detail::Mapping::map(descriptors[1].get(), 4096, detail::Mapping::Access::write));
  EXPECT_TRUE(detail::Mapping::map(descriptors[1].get(), 4096, detail::Mapping::Access::read));
}

}  // namespace
}  // namespace weir::transport
