#include <map>
#include <optional>
#include <set>
#include <thread>

#include "burst/litmus_run_test.hpp"

// Small programs one step after the other, and what weak models show, against what each model allows.
// Processes at the same time: litmus_together_test.cpp.
namespace weir::burst {
namespace {

using consistency::Operation;
using namespace std::chrono_literals;

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

// Attach, query or a read from a peer; tokens hold what peers have written, not the file's owner.
void run_primitive(Players& players, std::string_view model, Random& random, LitmusModel& expected,
                   std::size_t p) {
  File& file = *players.files[p];
  const std::uint64_t choice = random.below(model == "posix-lock" ? 2 : 3);
  if (choice == 0) {
    ASSERT_EQ(file.attach_all(), 0);
    expected.attach(p);
  } else if (choice == 1) {
    ASSERT_EQ(file.query_all(), 0);
    expected.query(p);
  } else {
    const std::size_t peer = random.below(players.systems.size());
    const std::size_t begin = random.below(LitmusModel::kBytes - 2);
    std::string text(2, '?');
    const Transfer done = file.read_peer(players.systems[peer]->session().client(),
                                         std::as_writable_bytes(std::span(text)), begin);
    const auto published = expected.read_peer(peer, begin, text.size());
    ASSERT_EQ(done.error, published ? 0 : ENODATA);
    if (published) {
      ASSERT_EQ(text, *published);
    }
  }
}

void run_program(Players& players, std::string_view model, std::uint64_t seed, std::size_t unit) {
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
      ASSERT_EQ(write_text(file, spread(text, unit), begin * unit), 0);
      expected.write(p, begin, text);
    } else if (choice < 7) {
      ASSERT_EQ(read_units(file, LitmusModel::kBytes, 0, unit), expected.read(p))
          << "step " << step << " process " << p;
    } else if (choice < 8) {
      ASSERT_EQ(file.sync(Operation::fsync), 0);
      expected.sync(p);
    } else if (choice < 9) {
      ASSERT_EQ(file.close(), 0);
      players.files[p].reset();
      expected.close(p);
    } else {
      run_primitive(players, model, random, expected, p);
    }
    if (testing::Test::HasFatalFailure()) return;
  }
  for (auto& file : players.files) file.reset();
}

void run_programs(TestCluster& cluster, std::string_view model, std::size_t unit, std::uint64_t programs) {
  Players players(cluster, 4);
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    run_program(players, model, seed, unit);
    if (testing::Test::HasFailure()) return;
  }
}

class Litmus : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(Litmus, RandomProgramsGiveWhatTheModelSays) {
  const auto [model, nodes] = GetParam();
  TestCluster cluster(static_cast<std::uint32_t>(nodes));
  run_programs(cluster, model, 1, is_long_run() ? 5000 : 300);
}

TEST_P(Litmus, RandomProgramsGiveItAlsoOverABadNetwork) {
  const auto [model, nodes] = GetParam();
  TestCluster cluster(static_cast<std::uint32_t>(nodes), 1, kBadNetwork, 1, {}, kSoonAgain);
  run_programs(cluster, model, 1, is_long_run() ? 500 : 20);
  EXPECT_EQ(cluster.net().counts().dropped > 0, nodes > 1);
}

TEST(LitmusTokens, RandomProgramsOverManyBlocksGiveWhatPosixSays) {
  for (const auto grant : {lock::GrantRange::exact, lock::GrantRange::extend, lock::GrantRange::extend_end})
    for (const auto settle : {lock::Settle::split, lock::Settle::revoke})
      for (const std::uint32_t nodes : {1U, 2U}) {
        SCOPED_TRACE(testing::Message() << "grant " << static_cast<int>(grant) << ", settle "
                                        << static_cast<int>(settle) << ", nodes " << nodes);
        TestCluster cluster(nodes, 2, {}, 1, {grant, settle});
        run_programs(cluster, "posix-lock", kUnitAcrossBlocks, is_long_run() ? 1000 : 40);
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
    LitmusTimes times(processes);
    constexpr std::uint64_t kSteps = 16;
    for (std::uint64_t i = 0; i < kSteps; ++i) {
      const std::size_t p = random.below(processes);
      LitmusStep step;
      const std::uint64_t choice = random.below(10);
      if (players.files[p] != nullptr) {
        if (choice < 4)
          step = {Do::write, random.below(12), 0,
                  std::string(1 + random.below(4), static_cast<char>('a' + static_cast<int>(i)))};
        else if (choice < 8)
          step = {Do::read, 0, LitmusModel::kBytes, {}};
        else
          step = {choice < 9 ? Do::sync : Do::close, 0, 0, {}};
      }
      if (pauses && random.below(4) == 0) std::this_thread::sleep_for(random.below(2) == 0 ? 25ms : 110ms);
      do_step(*players.systems[p], players.files[p], path, "eventual", step, outcome[p]);
      program.processes[p].push_back(step);
      times[p].push_back({i, i});
    }
    EXPECT_TRUE(LitmusSearch(program, outcome, times).allowed_by(model_named("eventual")))
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

// Cut off from the file's owner nothing is published in the background. What was synced is not seen, however
// new the look is: commit forbids that. Later it is seen without opening the file again: session forbids
// that.
TEST(LitmusWeakness, EventualShowsAnOldByteAfterASyncAndThenTheNewOneWhichNoStrongerModelDoes) {
  using Do = LitmusStep::Do;
  const LitmusProgram program{"seen late",
                              {{{Do::open, 0, 0, {}}, {Do::write, 0, 0, "1"}, {Do::sync, 0, 0, {}}},
                               {{Do::open, 0, 0, {}}, {Do::read, 0, 1, {}}, {Do::read, 0, 1, {}}}}};
  const LitmusTimes times{{{0, 0}, {1, 1}, {2, 2}}, {{3, 3}, {4, 4}, {5, 5}}};
  TestCluster cluster(2);
  std::string path = "f";
  while (cluster.job().layout().home_of(path).server != 0) path += "f";
  const auto one = cluster.client(1);
  const auto two = cluster.client(0);
  const auto writer = open_with(*one, path, "eventual");
  cluster.net().cut("mem:0.0", "mem:1.0");
  EXPECT_EQ(write_text(*writer, "1", 0), 0);
  EXPECT_EQ(writer->sync(Operation::fsync), 0);
  const auto reader = open_with(*two, path, "eventual");
  const std::string first = read_text_at(*reader, 1, 0);
  cluster.net().restore("mem:0.0", "mem:1.0");
  std::string last = first;
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (last != "1" && std::chrono::steady_clock::now() < deadline) last = read_text_at(*reader, 1, 0);
  const LitmusOutcome outcome = {{}, {first, last}};
  EXPECT_EQ(outcome, (LitmusOutcome{{}, {"", "1"}}));
  EXPECT_TRUE(LitmusSearch(program, outcome, times).allowed_by(model_named("eventual")));
  for (const char* const stronger : {"session", "commit", "posix"})
    EXPECT_FALSE(LitmusSearch(program, outcome, times).allowed_by(model_named(stronger))) << stronger;
}

// What a file that is opened after a close elsewhere shows.
std::string seen_after_close(const char* model) {
  TestCluster cluster(2);
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  const auto writer = open_with(*one, "f", model);
  EXPECT_EQ(write_text(*writer, "1", 0), 0);
  EXPECT_EQ(writer->close(), 0);
  return read_text_at(*open_with(*two, "f", model), 1, 0);
}

TEST(LitmusWeakness, NoneShowsAnOldByteToAFileOpenedAfterACloseElsewhereWhichSessionDoesNot) {
  EXPECT_EQ(seen_after_close("session"), "1");
  EXPECT_EQ(seen_after_close("none"), "");
}

TEST(LitmusWeakness, NoneShowsWhatWasAttachedToThoseWhoQueryAndToNobodyElse) {
  TestCluster cluster(2);
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  const auto writer = open_with(*one, "f", "none");
  const auto reader = open_with(*two, "f", "none");
  EXPECT_EQ(write_text(*writer, "1", 0), 0);
  EXPECT_EQ(reader->query_all(), 0);
  EXPECT_EQ(read_text_at(*reader, 1, 0), "");
  EXPECT_EQ(writer->attach_all(), 0);
  EXPECT_EQ(read_text_at(*reader, 1, 0), "");
  std::string of_peer = "?";
  const auto into = std::as_writable_bytes(std::span(of_peer));
  EXPECT_EQ(reader->read_peer(one->session().client(), into, 0).error, 0);
  EXPECT_EQ(of_peer, "1");
  EXPECT_EQ(reader->query_all(), 0);
  EXPECT_EQ(read_text_at(*reader, 1, 0), "1");
}

}  // namespace
}  // namespace weir::burst
