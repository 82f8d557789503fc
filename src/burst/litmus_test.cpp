#include <atomic>
#include <thread>

#include "base/random.hpp"
#include "burst/litmus_model_test.hpp"
#include "burst/test_cluster.hpp"

// The same small programs under every model, against what the model allows.
namespace weir::burst {
namespace {

using consistency::Operation;

const consistency::Model* model_named(std::string_view name) {
  return name == "none" ? nullptr : consistency::find_model(name);
}

// --- random programs, one operation after the other: every outcome is determined ---

// Processes of a litmus program: each a client of its own, on one node or on two.
struct Players {
  Players(TestCluster& cluster, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      systems.push_back(cluster.client(static_cast<std::uint32_t>(i % cluster.job().servers.size())));
    files.resize(count);
  }
  std::vector<std::unique_ptr<FileSystem>> systems;
  std::vector<std::shared_ptr<File>> files;
};

void run_program(Players& players, std::string_view model, std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const std::size_t processes = 2 + random.below(players.files.size() - 1);
  LitmusModel expected(model_named(model), processes);
  const std::string path = std::string(model) + std::to_string(seed);
  const auto open = [&](std::size_t p) {
    players.files[p] = open_with(*players.systems[p], path, model);
    expected.open(p);
  };
  constexpr int kOperations = 30;
  for (int step = 0; step < kOperations; ++step) {
    const std::size_t p = random.below(processes);
    if (!expected.is_open(p)) {
      open(p);
      continue;
    }
    File& file = *players.files[p];
    const std::uint64_t choice = random.below(10);
    if (choice < 4) {
      const std::size_t begin = random.below(LitmusModel::kBytes);
      const std::size_t length = 1 + random.below(LitmusModel::kBytes - begin);
      const std::string text(length, static_cast<char>('a' + step % 26));
      ASSERT_EQ(write_text(file, text, begin), 0);
      expected.write(p, begin, text);
    } else if (choice < 7) {
      ASSERT_EQ(read_text_at(file, LitmusModel::kBytes, 0), expected.read(p))
          << "step " << step << " process " << p;
    } else if (choice < 8) {
      ASSERT_EQ(file.sync(Operation::fsync), 0);
      expected.sync(p);
    } else if (choice < 9 || model != "none") {
      ASSERT_EQ(file.close(), 0);
      players.files[p].reset();
      expected.close(p);
    } else if (random.below(2) == 0) {
      ASSERT_EQ(file.attach_all(), 0);
      expected.attach(p);
    } else {
      ASSERT_EQ(file.query_all(), 0);
      expected.query(p);
    }
  }
  for (auto& file : players.files) file.reset();
}

class Litmus : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(Litmus, RandomProgramsGiveWhatTheModelSays) {
  const auto [model, nodes] = GetParam();
  const int programs = std::getenv("WEIR_LONG_TESTS") != nullptr ? 5000 : 300;
  TestCluster cluster(static_cast<std::uint32_t>(nodes));
  Players players(cluster, 4);
  for (int i = 1; i <= programs; ++i) {
    run_program(players, model, static_cast<std::uint64_t>(i));
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Litmus,
                         testing::Combine(testing::Values("posix", "commit", "session", "none"),
                                          testing::Values(1, 2)),
                         [](const auto& one) {
                           return std::string(std::get<0>(one.param)) +
                                  std::to_string(std::get<1>(one.param));
                         });

// --- processes at the same time: forbidden outcomes never appear ---

using Program = std::function<void(FileSystem&, int round)>;

// Runs the programs side by side, `rounds` times.
void together(TestCluster& cluster, int rounds, const std::vector<Program>& programs) {
  std::atomic<int> arrived = 0;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < programs.size(); ++i)
    threads.emplace_back([&, i] {
      const auto system = cluster.client(static_cast<std::uint32_t>(i % cluster.job().servers.size()));
      for (int round = 0; round < rounds; ++round) {
        ++arrived;
        while (arrived.load() < (round + 1) * static_cast<int>(programs.size())) std::this_thread::yield();
        programs[i](*system, round);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

constexpr int kRounds = 200;

std::string name_of(std::string_view test, int round) { return std::string(test) + std::to_string(round); }

// Writes data, then a flag, each published in the way of the model; who sees the flag sees the data.
void message_passing(
    std::uint32_t nodes, const char* model, const std::function<void(File&)>& publish,
    const std::function<std::shared_ptr<File>(FileSystem&, std::string, std::shared_ptr<File>)>& look) {
  TestCluster cluster(nodes);
  std::atomic<int> passed = 0;
  together(cluster, kRounds,
           {[&](FileSystem& system, int round) {
              const auto data = open_with(system, name_of("data", round), model);
              const auto flag = open_with(system, name_of("flag", round), model);
              EXPECT_EQ(write_text(*data, "D", 0), 0);
              publish(*data);
              EXPECT_EQ(write_text(*flag, "F", 0), 0);
              publish(*flag);
            },
            [&](FileSystem& system, int round) {
              auto flag = open_with(system, name_of("flag", round), model);
              auto data = open_with(system, name_of("data", round), model);
              for (int i = 0; i < 20; ++i) {
                flag = look(system, name_of("flag", round), flag);
                if (read_text_at(*flag, 1, 0) != "F") continue;
                data = look(system, name_of("data", round), data);
                EXPECT_EQ(read_text_at(*data, 1, 0), "D");
                ++passed;
                return;
              }
            }});
  EXPECT_GT(passed, 0);  // the flag was seen in some rounds, so that something was tested
}

TEST(LitmusTogether, MessagePassing) {
  const auto stay = [](FileSystem&, const std::string&, std::shared_ptr<File> file) { return file; };
  for (const std::uint32_t nodes : {1U, 2U}) {
    message_passing(
        nodes, "posix", [](File&) {}, stay);
    message_passing(
        nodes, "commit", [](File& file) { EXPECT_EQ(file.sync(Operation::fsync), 0); }, stay);
    message_passing(
        nodes, "session", [](File& file) { EXPECT_EQ(file.close(), 0); },
        [](FileSystem& system, const std::string& name, const std::shared_ptr<File>&) {
          return open_with(system, name, "session");
        });
  }
}

// Each writes its own byte and reads the other's: not both may read the old one.
TEST(LitmusTogether, StoreBufferingUnderPosix) {
  for (const std::uint32_t nodes : {1U, 2U}) {
    TestCluster cluster(nodes);
    std::array<std::array<std::string, 2>, kRounds> seen;
    const auto side = [&](std::size_t self) {
      return [&, self](FileSystem& system, int round) {
        const auto file = open_with(system, name_of("sb", round), "posix");
        EXPECT_EQ(write_text(*file, "1", self * 8), 0);
        seen.at(static_cast<std::size_t>(round))[self] = read_text_at(*file, 1, (1 - self) * 8);
      };
    };
    together(cluster, kRounds, {side(0), side(1)});
    for (const auto& round : seen) EXPECT_TRUE(round[0] == "1" || round[1] == "1");
  }
}

// Overlapping writes: all readers agree on one order, and a read is never torn within what one attach
// published.
TEST(LitmusTogether, OverlappingWritesUnderPosixEndTheSameForAll) {
  TestCluster cluster(2);
  std::array<std::string, kRounds> of_one;
  std::array<std::string, kRounds> of_two;
  const auto writer = [](char letter) {
    return [letter](FileSystem& system, int round) {
      const auto file = open_with(system, name_of("ww", round), "posix");
      EXPECT_EQ(write_text(*file, std::string(6, letter), letter == 'a' ? 0 : 3), 0);
    };
  };
  together(cluster, kRounds, {writer('a'), writer('b')});
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  for (int round = 0; round < kRounds; ++round) {
    const std::string seen = read_text_at(*open_with(*one, name_of("ww", round), "posix"), 20, 0);
    EXPECT_EQ(seen, read_text_at(*open_with(*two, name_of("ww", round), "posix"), 20, 0));
    EXPECT_TRUE(seen == "aaaaaabbb" || seen == "aaabbbbbb") << seen;
  }
}

// --- each weak model shows something that the stronger one forbids ---

TEST(LitmusWeakness, CommitShowsAnOldByteAfterAWriteWhichPosixDoesNot) {
  for (const auto& [model, expected] : {std::pair{"posix", "1"}, std::pair{"commit", ""}}) {
    TestCluster cluster(2);
    const auto one = cluster.client(0);
    const auto two = cluster.client(1);
    const auto writer = open_with(*one, "f", model);
    const auto reader = open_with(*two, "f", model);
    EXPECT_EQ(write_text(*writer, "1", 0), 0);
    EXPECT_EQ(read_text_at(*reader, 1, 0), expected) << model;
  }
}

TEST(LitmusWeakness, SessionShowsAnOldByteAfterASyncWhichCommitDoesNot) {
  for (const auto& [model, expected] : {std::pair{"commit", "1"}, std::pair{"session", ""}}) {
    TestCluster cluster(2);
    const auto one = cluster.client(0);
    const auto two = cluster.client(1);
    const auto writer = open_with(*one, "f", model);
    const auto reader = open_with(*two, "f", model);
    EXPECT_EQ(write_text(*writer, "1", 0), 0);
    EXPECT_EQ(writer->sync(Operation::fsync), 0);
    EXPECT_EQ(read_text_at(*reader, 1, 0), expected) << model;
  }
}

TEST(LitmusWeakness, EventualShowsAnOldByteToAFileOpenedAfterACloseElsewhere) {
  // An own look that is young enough is not repeated: what was closed since then is not seen yet.
  TestCluster cluster(2);
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  const auto reader = open_with(*two, "f", "eventual");
  int old = 0;
  for (int i = 0; i < 50 && old == 0; ++i) {
    EXPECT_EQ(reader->query_all(), 0);
    const auto writer = open_with(*one, "f", "eventual");
    EXPECT_EQ(write_text(*writer, std::string(1, static_cast<char>('A' + i)), 0), 0);
    EXPECT_EQ(writer->close(), 0);
    old += read_text_at(*reader, 1, 0) != std::string(1, static_cast<char>('A' + i)) ? 1 : 0;
  }
  EXPECT_GT(old, 0);
}

}  // namespace
}  // namespace weir::burst
