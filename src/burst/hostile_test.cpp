// Clients that send what no client sends: cut, changed, random, and well-formed with absurd values. The
// servers stay up, drop who sends no messages, and serve the others.
#include <fmt/format.h>

#include "burst/every_request_test.hpp"
#include "burst/test_cluster.hpp"
#include "transport/channel.hpp"

namespace weir::burst {
namespace {

using namespace std::chrono_literals;
constexpr auto kPatience = 20s;

class HostileClients : public testing::Test {
 protected:
  HostileClients() : good_(cluster_.client(0)), far_(cluster_.client(1)) {}

  std::unique_ptr<transport::Channel> connect() {
    auto channel = transport::Channel::connect({.socket = socket_of(cluster_.job().servers[0]).string(),
                                                .secret = cluster_.job().secret,
                                                .version = kProtocolVersion,
                                                .resume = 0},
                                               kPatience);
    EXPECT_TRUE(channel) << channel.error().text();
    return std::move(*channel);
  }
  // A file that the intruder has open.
  FileId make_file(transport::Channel& channel, const std::string& path) {
    const Home home = cluster_.job().layout().home_of(path);
    Open request{.path = path, .create = true};
    const auto answer = channel.call(
        home.worker,
        encode_request({.to_server = home.server, .client = channel.client(), .sequence = 1}, request),
        kPatience);
    return decode_answer<Opened>(answer).body.file;
  }
  // Others on both nodes go on as if nothing were.
  void expect_service() {
    const std::string name = fmt::format("good{}", ++rounds_);
    for (const char* const model : {"commit", "posix-lock"}) {
      const auto file = open_with(*good_, name + model, model);
      ASSERT_EQ(write_text(*file, "still here", 0), 0);
      ASSERT_EQ(file->sync(consistency::Operation::fsync), 0);
      ASSERT_EQ(read_text_at(*open_with(*far_, name + model, model), 20, 0), "still here");
    }
  }
  static void expect_dropped(const transport::Channel& channel) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!channel.is_gone() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    EXPECT_TRUE(channel.is_gone());
  }

  TestCluster cluster_{2, 2};
  std::unique_ptr<FileSystem> good_;
  std::unique_ptr<FileSystem> far_;
  int rounds_ = 0;
};

TEST_F(HostileClients, WhoSendsRandomBytesIsDropped) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto channel = connect();
    Bytes bytes(random.below(200));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    const auto answer = channel->call(static_cast<unsigned>(random.below(2)), bytes, kPatience);
    if (answer) {
      EXPECT_EQ(decode_answer<Nothing>(answer).error, kNoMessage);
    }
    expect_dropped(*channel);
  }
  expect_service();
}

TEST_F(HostileClients, EveryRequestThatIsCutIsNoMessage) {
  Scrambler scrambler(1, {});
  for_every_request([&](auto body) {
    scrambler.scramble(body);
    if (transport::pack(body).empty()) return;  // nothing to cut
    SCOPED_TRACE(static_cast<int>(body.kKind));
    for (const std::uint32_t server : {0u, 1u}) {  // what goes on to another server as well
      const auto channel = connect();
      Bytes bytes = encode_request({.to_server = server, .client = channel->client()}, body);
      bytes.resize(bytes.size() - 1);
      const auto answer = channel->call(0, bytes, kPatience);
      if (answer) {
        EXPECT_EQ(decode_answer<Nothing>(answer).error, kNoMessage);
      }
      expect_dropped(*channel);
    }
  });
  expect_service();
}

TEST_F(HostileClients, WhoSpeaksInAnothersNameOrAsAServerIsDropped) {
  const auto in_the_name_of_another = connect();
  EXPECT_EQ(decode_answer<Counters>(
                in_the_name_of_another->call(
                    0, encode_request({.client = good_->session().client()}, GetStats{}), kPatience))
                .error,
            kNoMessage);
  expect_dropped(*in_the_name_of_another);
  const auto as_a_server = connect();
  EXPECT_EQ(decode_answer<Nothing>(as_a_server->call(0,
                                                     encode_request({.client = as_a_server->client()},
                                                                    ClientGone{good_->session().client()}),
                                                     kPatience))
                .error,
            kNoMessage);
  expect_dropped(*as_a_server);
  expect_service();
}

TEST_F(HostileClients, AbsurdRequestsHarmNobodyElse) {
  const std::uint64_t rounds = std::getenv("WEIR_LONG_TESTS") != nullptr ? 2000 : 60;
  std::uint64_t refused = 0;
  for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto channel = connect();
    Scrambler scrambler(seed, make_file(*channel, fmt::format("bad{}", seed)));
    std::uint64_t sequence = 1;
    for_every_request([&](auto body) {
      using Body = decltype(body);
      // Wanting back the space of others, or all of it flushed, is nobody's harm, but takes its time.
      if (is_between_servers(Body::kKind) || scrambler.random().below(2) == 0) return;
      scrambler.scramble(body);
      Header header{.to_server = static_cast<std::uint32_t>(scrambler.random().below(2)),
                    .client = channel->client(),
                    .sequence = scrambler.random().below(2) == 0 ? 0 : ++sequence};
      Bytes bytes = encode_request(header, body);
      if (scrambler.random().below(8) == 0)  // and changed on the way
        bytes[scrambler.random().below(bytes.size())] ^=
            static_cast<std::byte>(1u << scrambler.random().below(8));
      ByteSpan rest(bytes);
      const Kind kind = decode_header(rest)->kind;
      if (kind == Kind::stop || kind == Kind::seal) return;  // they do what they say
      const auto answer = channel->call(static_cast<unsigned>(scrambler.random().below(2)), bytes, 20ms);
      refused += decode_answer<typename Body::Answer>(answer).error != 0 ? 1 : 0;
    });
    expect_service();
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(refused, rounds);
}

TEST_F(HostileClients, AServerIsDroppedForItsOwnWordsAndNotForThoseOfAClient) {
  transport::Loop loop;
  const auto fabric = cluster_.net().make(loop, "mem:intruder");
  fabric->set_peers(cluster_.server(0).addresses(), 1);
  loop.add(*fabric);
  // The request, and whether another that is under way with it is answered.
  const auto keeps_connection = [&](const Bytes& request) {
    std::vector<Result<Bytes>> ends;
    loop.post([&] {
      for (const Bytes& bytes : {request, encode_request({}, GetStats{})})
        fabric->call(0, bytes, kPatience, [&](Result<Bytes> end) {
          ends.push_back(std::move(end));
          if (ends.size() == 2) loop.stop();
        });
    });
    loop.run();
    EXPECT_EQ(decode_answer<Nothing>(ends[0]).error, kNoMessage);
    return static_cast<bool>(ends[1]);
  };
  EXPECT_FALSE(keeps_connection(Bytes(7)));
  EXPECT_FALSE(keeps_connection(encode_request({.to_server = 1}, GetStats{})));
  Scrambler scrambler(1, {});
  for_every_request([&](auto body) {
    scrambler.scramble(body);
    if (transport::pack(body).empty()) return;  // nothing to cut
    SCOPED_TRACE(static_cast<int>(body.kKind));
    for (const std::uint64_t client : {0U, 5U}) {
      Bytes bytes = encode_request({.client = client}, body);
      bytes.resize(bytes.size() - 1);
      EXPECT_EQ(keeps_connection(bytes), client != 0 && !is_between_servers(body.kKind)) << client;
    }
  });
  loop.remove(*fabric);
  expect_service();
}

}  // namespace
}  // namespace weir::burst
