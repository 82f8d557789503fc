#include <array>
#include <functional>
#include <map>

#include "burst/append_test.hpp"
#include "burst/litmus_run_test.hpp"

// Processes at the same time under every model: what a model forbids never appears.
namespace weir::burst {
namespace {

using consistency::Operation;

constexpr std::array kModels = {"posix", "posix-lock", "commit", "session", "eventual", "none"};

// A cluster, and how programs are laid out on it.
struct LitmusSetup {
  const char* name = "";
  std::uint32_t nodes = 1;
  std::uint32_t workers = 1;
  std::size_t unit = 1;
  bool bad_network = false;
  lock::Options locks = {};

  std::unique_ptr<TestCluster> cluster() const {
    return std::make_unique<TestCluster>(nodes, workers, bad_network ? kBadNetwork : transport::Faults{}, 1,
                                         locks, bad_network ? kSoonAgain : kLaterAgain);
  }
  int rounds(int normally) const {
    return (is_long_run() ? 30 * normally : normally) / (bad_network ? 5 : 1);
  }
};

const std::array kSetups = {
    LitmusSetup{.name = "OneNode"}, LitmusSetup{.name = "TwoNodes", .nodes = 2},
    LitmusSetup{.name = "TwoNodesManyBlocks", .nodes = 2, .workers = 2, .unit = kUnitAcrossBlocks},
    LitmusSetup{.name = "TwoNodesBadNetwork", .nodes = 2, .bad_network = true}};

std::string name_of_setup(const testing::TestParamInfo<LitmusSetup>& one) { return one.param.name; }

// Runs the programs; some order that agrees with when each step began and ended must explain what was read.
// For posix that is linearizability.
std::vector<LitmusRun> expect_allowed(const LitmusSetup& setup, const std::string& model,
                                      const std::vector<LitmusProgram>& programs) {
  const auto cluster = setup.cluster();
  auto runs = run_together(*cluster, model, programs, setup.unit);
  for (std::size_t i = 0; i < runs.size(); ++i)
    EXPECT_TRUE(LitmusSearch(programs[i], runs[i].outcome, runs[i].times).allowed_by(model_named(model)))
        << model << ", program " << i << ", " << programs[i].name << ": " << text_of(runs[i].outcome);
  EXPECT_EQ(cluster->net().counts().dropped > 0, setup.bad_network);
  return runs;
}

// The classical programs in every idiom, each so many times.
std::vector<LitmusProgram> classics(int rounds) {
  std::vector<LitmusProgram> programs;
  for (const LitmusIdiom idiom :
       {LitmusIdiom::bare, LitmusIdiom::sync, LitmusIdiom::reopen, LitmusIdiom::primitives})
    for (const LitmusProgram& program : LitmusProgramMaker(idiom).all())
      programs.insert(programs.end(), static_cast<std::size_t>(rounds), program);
  return programs;
}

std::vector<LitmusProgram> random_programs(int number, std::uint64_t seed) {
  Random random(seed);
  std::vector<LitmusProgram> programs;
  for (int i = 0; i < number; ++i) programs.push_back(random_program(random));
  return programs;
}

// The same without attach.
LitmusProgram unpublished(LitmusProgram program) {
  for (auto& steps : program.processes)
    std::erase_if(steps, [](const LitmusStep& step) { return step.what == LitmusStep::Do::attach; });
  return program;
}

class LitmusPrograms : public testing::TestWithParam<LitmusSetup> {};

TEST_P(LitmusPrograms, GiveNothingThatTheirModelForbidsAndWeakOnesMoreThanStrongOnes) {
  const auto programs = classics(GetParam().rounds(15));
  const std::map<std::string, std::string> stronger = {
      {"commit", "posix"}, {"session", "commit"}, {"eventual", "commit"}, {"none", "session"}};
  std::map<std::string, int> beyond;  // by weak model: outcomes that the stronger one forbids
  int attached = 0;                   // outcomes under none that there are only because of an attach
  for (const std::string model : kModels) {
    const auto runs = expect_allowed(GetParam(), model, programs);
    const auto strong = stronger.find(model);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (strong != stronger.end() &&
          !LitmusSearch(programs[i], runs[i].outcome, runs[i].times).allowed_by(model_named(strong->second)))
        ++beyond[model];
      if (model == "none" && !LitmusSearch(unpublished(programs[i]), runs[i].outcome).allowed_by(nullptr))
        ++attached;
    }
  }
  for (const auto& [weak, strong] : stronger)
    EXPECT_GT(beyond[weak], 0) << weak << " shows nothing that " << strong << " forbids";
  EXPECT_GT(attached, 0) << "under none nothing was seen";
}

INSTANTIATE_TEST_SUITE_P(Setups, LitmusPrograms, testing::ValuesIn(kSetups), name_of_setup);

class LitmusRandom : public testing::TestWithParam<LitmusSetup> {};

TEST_P(LitmusRandom, ProgramsAtTheSameTimeGiveNothingThatTheirModelForbids) {
  for (const char* const model : kModels)
    expect_allowed(GetParam(), model, random_programs(GetParam().rounds(200), 1));
}

INSTANTIATE_TEST_SUITE_P(Setups, LitmusRandom, testing::ValuesIn(kSetups), name_of_setup);

TEST(LitmusTokens, ProgramsOverManyBlocksAtTheSameTimeAreLinearizable) {
  for (const auto grant : {lock::GrantRange::exact, lock::GrantRange::extend, lock::GrantRange::extend_end})
    for (const auto settle : {lock::Settle::split, lock::Settle::revoke})
      for (const bool bad_network : {false, true}) {
        SCOPED_TRACE(testing::Message() << "grant " << static_cast<int>(grant) << ", settle "
                                        << static_cast<int>(settle) << ", bad network " << bad_network);
        const LitmusSetup setup{.nodes = 2,
                                .workers = 2,
                                .unit = kUnitAcrossBlocks,
                                .bad_network = bad_network,
                                .locks = {grant, settle}};
        expect_allowed(setup, "posix-lock", classics(setup.rounds(5)));
        expect_allowed(setup, "posix-lock", random_programs(setup.rounds(75), 2));
      }
}

TEST(LitmusAppends, OfSeveralNodesDoNotOverlapUnderAnyModel) {
  for (const char* const model : kModels) {
    SCOPED_TRACE(model);
    TestCluster cluster(2);
    expect_appends_apart(cluster, model, 40);
    TestCluster bad(2, 1, kBadNetwork, 1, {}, kSoonAgain);
    expect_appends_apart(bad, model, 10);
  }
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

}  // namespace
}  // namespace weir::burst
