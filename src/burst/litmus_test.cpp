#include <atomic>
#include <map>
#include <thread>

#include "base/random.hpp"
#include "burst/litmus_program_test.hpp"
#include "burst/test_cluster.hpp"

// The same small programs under every model, against what the model allows.
namespace weir::burst {
namespace {

using consistency::Operation;
using namespace std::chrono_literals;

bool is_long_run() { return std::getenv("WEIR_LONG_TESTS") != nullptr; }

const consistency::Model* model_named(std::string_view name) {
  if (name == "posix-lock") name = "posix";  // the same outcomes by other means
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
  const int programs = is_long_run() ? 5000 : 300;
  TestCluster cluster(static_cast<std::uint32_t>(nodes));
  Players players(cluster, 4);
  for (int i = 1; i <= programs; ++i) {
    run_program(players, model, static_cast<std::uint64_t>(i));
    if (HasFatalFailure()) return;
  }
}

// One step of a program by the real file system; `reads` gets what it read.
void do_step(FileSystem& system, std::shared_ptr<File>& file, const std::string& path, std::string_view model,
             const LitmusStep& step, std::vector<std::string>& reads) {
  switch (step.what) {
    case LitmusStep::Do::open:
      file = open_with(system, path, model);
      return;
    case LitmusStep::Do::write:
      EXPECT_EQ(write_text(*file, step.text, step.begin), 0);
      return;
    case LitmusStep::Do::append:
      EXPECT_EQ(file->append(bytes_of(step.text)).error, 0);
      return;
    case LitmusStep::Do::read:
      reads.push_back(read_text_at(*file, step.length, step.begin));
      return;
    case LitmusStep::Do::sync:
      EXPECT_EQ(file->sync(Operation::fsync), 0);
      return;
    case LitmusStep::Do::close:
      EXPECT_EQ(file->close(), 0);
      file.reset();
      return;
  }
}

// Under eventual consistency a program has many outcomes; some order of publications and looks must explain
// the one that came. In the end all agree.
class LitmusEventual : public testing::TestWithParam<int> {};

TEST_P(LitmusEventual, RandomProgramsGiveWhatSomeDelayExplains) {
  using Do = LitmusStep::Do;
  TestCluster cluster(static_cast<std::uint32_t>(GetParam()));
  Players players(cluster, 4);
  const std::uint64_t programs = is_long_run() ? 3000 : 200;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed, 1);
    const std::string path = "eventual" + std::to_string(seed);
    const std::size_t processes = 2 + random.below(3);
    const bool pauses = seed % 10 == 0;  // long enough for publications, and for looks to grow old
    LitmusProgram program{"random", std::vector<std::vector<LitmusStep>>(processes)};
    LitmusOutcome outcome(processes);
    std::vector<std::size_t> order;
    constexpr int kSteps = 16;
    for (int i = 0; i < kSteps; ++i) {
      const std::size_t p = random.below(processes);
      LitmusStep step;
      const std::uint64_t choice = random.below(10);
      if (players.files[p] != nullptr) {
        if (choice < 4)
          step = {Do::write, random.below(12), 0,
                  std::string(1 + random.below(4), static_cast<char>('a' + i))};
        else if (choice < 8)
          step = {Do::read, 0, LitmusModel::kBytes, {}};
        else
          step = {choice < 9 ? Do::sync : Do::close, 0, 0, {}};
      }
      if (pauses && random.below(4) == 0) std::this_thread::sleep_for(random.below(2) == 0 ? 25ms : 110ms);
      do_step(*players.systems[p], players.files[p], path, "eventual", step, outcome[p]);
      program.processes[p].push_back(step);
      order.push_back(p);
    }
    EXPECT_TRUE(LitmusSearch(program, outcome, order).allowed_by(model_named("eventual")))
        << text_of(outcome);
    std::set<std::string> ends;
    for (auto& file : players.files) file.reset();
    for (std::size_t p = 0; p < processes; ++p)
      ends.insert(read_text_at(*open_with(*players.systems[p], path, "eventual"), LitmusModel::kBytes, 0));
    EXPECT_EQ(ends.size(), 1u) << "all have closed the file, and not all read the same";
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Nodes, LitmusEventual, testing::Values(1, 2));

INSTANTIATE_TEST_SUITE_P(Models, Litmus,
                         testing::Combine(testing::Values("posix", "posix-lock", "commit", "session", "none"),
                                          testing::Values(1, 2)),
                         [](const auto& one) {
                           std::string name = std::get<0>(one.param) + std::to_string(std::get<1>(one.param));
                           std::erase(name, '-');
                           return name;
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

// The programs, with their processes side by side, so many times; which outcomes came.
std::map<std::string, LitmusOutcome> outcomes_of(TestCluster& cluster, const std::string& model,
                                                 const LitmusProgram& program, const std::string& path,
                                                 int rounds) {
  const std::size_t processes = program.processes.size();
  std::vector<LitmusOutcome> seen(static_cast<std::size_t>(rounds), LitmusOutcome(processes));
  std::vector<Program> sides;
  for (std::size_t p = 0; p < processes; ++p)
    sides.push_back([&, p](FileSystem& system, int round) {
      Random random(static_cast<std::uint64_t>(round), p);
      std::shared_ptr<File> file;
      for (const LitmusStep& step : program.processes[p]) {
        for (std::uint64_t spins = random.below(3) * random.below(2000); spins > 0; --spins)
          std::atomic_signal_fence(std::memory_order_seq_cst);
        if (random.below(4) == 0) std::this_thread::yield();
        do_step(system, file, path + std::to_string(round), model, step,
                seen[static_cast<std::size_t>(round)][p]);
      }
    });
  together(cluster, rounds, sides);
  std::map<std::string, LitmusOutcome> outcomes;
  for (LitmusOutcome& one : seen) outcomes.emplace(text_of(one), std::move(one));
  return outcomes;
}

class LitmusPrograms : public testing::TestWithParam<int> {};

TEST_P(LitmusPrograms, GiveNothingThatTheirModelForbidsAndWeakOnesMoreThanStrongOnes) {
  const int rounds = is_long_run() ? 400 : 15;
  std::map<std::string, int> beyond;  // by weak model: outcomes that the stronger one forbids
  // Eventual consistency needs more time to show itself: see LitmusWeakness.
  const std::map<std::string, std::string> stronger = {
      {"commit", "posix"}, {"session", "commit"}, {"none", "session"}};
  for (const std::string model : {"posix", "posix-lock", "commit", "session", "eventual", "none"}) {
    TestCluster cluster(static_cast<std::uint32_t>(GetParam()));
    int number = 0;
    for (const LitmusIdiom idiom : {LitmusIdiom::bare, LitmusIdiom::sync, LitmusIdiom::reopen})
      for (const LitmusProgram& program : LitmusProgramMaker(idiom).all()) {
        SCOPED_TRACE(model + ": " + program.name + ", idiom " + std::to_string(static_cast<int>(idiom)));
        const std::string path = std::to_string(++number) + "-";
        for (const auto& [text, outcome] : outcomes_of(cluster, model, program, path, rounds)) {
          LitmusSearch search(program, outcome);
          EXPECT_TRUE(search.allowed_by(model_named(model))) << text;
          const auto strong = stronger.find(model);
          if (strong != stronger.end() && !search.allowed_by(model_named(strong->second))) ++beyond[model];
        }
      }
  }
  for (const auto& [weak, strong] : stronger)
    EXPECT_GT(beyond[weak], 0) << weak << " shows nothing that " << strong << " forbids";
}

INSTANTIATE_TEST_SUITE_P(Nodes, LitmusPrograms, testing::Values(1, 2));

// The reference itself: what it is known to allow and to forbid.
TEST(LitmusReference, KnowsStoreBuffering) {
  const LitmusProgram program = LitmusProgramMaker(LitmusIdiom::bare).all()[1];
  const LitmusOutcome both_old = {{""}, {std::string(1, 0)}};
  EXPECT_FALSE(LitmusSearch(program, both_old).allowed_by(model_named("posix")));
  for (const char* const weak : {"commit", "session", "eventual", "none"})
    EXPECT_TRUE(LitmusSearch(program, both_old).allowed_by(model_named(weak))) << weak;
  const LitmusOutcome of_nobody = {{"z"}, {""}};
  for (const char* const any : {"posix", "commit", "session", "eventual", "none"})
    EXPECT_FALSE(LitmusSearch(program, of_nobody).allowed_by(model_named(any))) << any;
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
    for (const char* const model : {"posix", "posix-lock"})
      message_passing(
          nodes, model, [](File&) {}, stay);
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
void store_buffering(const char* model) {
  for (const std::uint32_t nodes : {1U, 2U}) {
    TestCluster cluster(nodes);
    std::array<std::array<std::string, 2>, kRounds> seen;
    const auto side = [&](std::size_t self) {
      return [&, self](FileSystem& system, int round) {
        const auto file = open_with(system, name_of("sb", round), model);
        EXPECT_EQ(write_text(*file, "1", self * 8), 0);
        seen.at(static_cast<std::size_t>(round))[self] = read_text_at(*file, 1, (1 - self) * 8);
      };
    };
    together(cluster, kRounds, {side(0), side(1)});
    for (const auto& round : seen) EXPECT_TRUE(round[0] == "1" || round[1] == "1");
  }
}

TEST(LitmusTogether, StoreBufferingUnderPosix) { store_buffering("posix"); }
TEST(LitmusTogether, StoreBufferingUnderTokens) { store_buffering("posix-lock"); }

// Overlapping writes: all readers agree on one order, and a read is never torn within what one attach
// published.
void overlapping_writes(const char* model) {
  TestCluster cluster(2);
  std::array<std::string, kRounds> of_one;
  std::array<std::string, kRounds> of_two;
  const auto writer = [&](char letter) {
    return [&, letter](FileSystem& system, int round) {
      const auto file = open_with(system, name_of("ww", round), model);
      EXPECT_EQ(write_text(*file, std::string(6, letter), letter == 'a' ? 0 : 3), 0);
    };
  };
  together(cluster, kRounds, {writer('a'), writer('b')});
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  for (int round = 0; round < kRounds; ++round) {
    const std::string seen = read_text_at(*open_with(*one, name_of("ww", round), model), 20, 0);
    EXPECT_EQ(seen, read_text_at(*open_with(*two, name_of("ww", round), model), 20, 0));
    EXPECT_TRUE(seen == "aaaaaabbb" || seen == "aaabbbbbb") << seen;
  }
}

TEST(LitmusTogether, OverlappingWritesUnderPosixEndTheSameForAll) { overlapping_writes("posix"); }
TEST(LitmusTogether, OverlappingWritesUnderTokensEndTheSameForAll) { overlapping_writes("posix-lock"); }

// --- each weak model shows something that the stronger one forbids ---

// What a process reads of a byte that another has written, and synced, while both have the file open.
std::string seen_by_another(const char* model, bool synced) {
  TestCluster cluster(2);
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  const auto writer = open_with(*one, "f", model);
  const auto reader = open_with(*two, "f", model);
  EXPECT_EQ(write_text(*writer, "1", 0), 0);
  if (synced) {
    EXPECT_EQ(writer->sync(Operation::fsync), 0);
  }
  return read_text_at(*reader, 1, 0);
}

TEST(LitmusWeakness, CommitShowsAnOldByteAfterAWriteWhichPosixDoesNot) {
  EXPECT_EQ(seen_by_another("posix", false), "1");
  EXPECT_EQ(seen_by_another("commit", false), "");
}

TEST(LitmusWeakness, SessionShowsAnOldByteAfterASyncWhichCommitDoesNot) {
  EXPECT_EQ(seen_by_another("commit", true), "1");
  EXPECT_EQ(seen_by_another("session", true), "");
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

TEST(LitmusWeakness, EventualShowsAWriteOfAFileThatIsStillOpenWhichSessionDoesNot) {
  using Do = LitmusStep::Do;
  const LitmusProgram program{"seen while open",
                              {{{Do::open, 0, 0, {}}, {Do::write, 0, 0, "1"}},
                               {{Do::open, 0, 0, {}}, {Do::read, 0, 1, {}}, {Do::read, 0, 1, {}}}}};
  TestCluster cluster(2);
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  const auto writer = open_with(*one, "f", "eventual");
  const auto reader = open_with(*two, "f", "eventual");
  EXPECT_EQ(write_text(*writer, "1", 0), 0);
  const std::string first = read_text_at(*reader, 1, 0);
  std::string last = first;
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (last != "1" && std::chrono::steady_clock::now() < deadline) last = read_text_at(*reader, 1, 0);
  const LitmusOutcome outcome = {{}, {first, last}};
  EXPECT_EQ(last, "1");
  EXPECT_TRUE(LitmusSearch(program, outcome).allowed_by(model_named("eventual")));
  EXPECT_FALSE(LitmusSearch(program, outcome).allowed_by(model_named("session")));
}

}  // namespace
}  // namespace weir::burst
