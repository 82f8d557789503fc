#include "campaign/store.hpp"

#include <csignal>
#include <fstream>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.hpp"
#include "base/scratch_dir.hpp"
#include "campaign/store_test_help.hpp"

namespace weir::campaign {
namespace {

using test::facts_of;
using test::opened;
using test::run_at;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<Levels> kThree = {{"read", "1"}, {"read", "2"}, {"write", "1"}};

// Runs `body` in a child and tells what it exits with; -1 when it was killed.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void execute(const std::filesystem::path& file, const char* sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}

TEST(Store, KeepsWhatItIsGiven) {
  const ScratchDir dir;
  const auto file = dir.path() / "a store 100%?#.db";
  RunRow row = run_at(1, 0, 2.5e8);
  row.reason = "others moved 31 %";
  row.state = RunState::disturbed;
  row.workers = Json{{{"begin_s", 0.1}, {"end_s", 0.3}}};
  row.monitors = Json{{"psi", 0.25}};
  row.notes = Json{"caches could not be dropped"};
  row.read = {10, 1e-6, 2e-6, std::nullopt, 1e-3};
  {
    Store store = opened(file);
    CampaignFacts facts = facts_of("first", {"mode", "threads"});
    facts.grid = "name = \"first\"";
    facts.seed = ~std::uint64_t{0};
    facts.runs = 40;
    facts.environment = Json{{"kernel", "6.1"}, {"governor", nullptr}};
    ASSERT_EQ(*store.add_campaign(facts, kThree), 1);
    ASSERT_TRUE(store.add_run(1, row));
  }
  EXPECT_FALSE(std::filesystem::exists(file.string() + "-wal"));
  EXPECT_FALSE(std::filesystem::exists(file.string() + "-lock"));
  EXPECT_TRUE(is_store(file));
  const auto store = Store::open_to_read(file);
  ASSERT_TRUE(store) << store.error().text();
  const auto facts = store->campaign(1);
  ASSERT_TRUE(facts) << facts.error().text();
  EXPECT_EQ(facts->name, "first");
  EXPECT_EQ(facts->seed, ~std::uint64_t{0});
  EXPECT_EQ(facts->runs, 40u);
  EXPECT_EQ(facts->environment.dump(), R"({"kernel":"6.1","governor":null})");
  EXPECT_THAT(facts->factors, ElementsAre("mode", "threads"));
  EXPECT_EQ(*store->configurations(1), kThree);
  int seen = 0;
  ASSERT_TRUE(store->for_each_run(1, true, [&](const RunRow& run, const Levels& levels) {
    ++seen;
    EXPECT_THAT(levels, ElementsAre("read", "2"));
    EXPECT_EQ(run.machine, row.machine);
    EXPECT_EQ(run.started_ns, row.started_ns);
    EXPECT_EQ(run.state, RunState::disturbed);
    EXPECT_EQ(run.reason, row.reason);
    EXPECT_EQ(run.throughput, row.throughput);
    EXPECT_EQ(run.throughput_together, std::nullopt);
    EXPECT_EQ(run.read.count, 10u);
    EXPECT_EQ(run.read.p999_s, std::nullopt);
    EXPECT_EQ(run.read.max_s, 1e-3);
    EXPECT_EQ(run.workers, row.workers);
    EXPECT_EQ(run.monitors, row.monitors);
    EXPECT_EQ(run.notes, row.notes);
  }));
  EXPECT_EQ(seen, 1);
  EXPECT_THAT(store->campaign(2).error().text(), HasSubstr("there is no campaign 2"));
}

TEST(Store, ARunIsThereOnce) {
  const ScratchDir dir;
  Store store = opened(dir.path() / "s.db");
  ASSERT_TRUE(store.add_campaign(facts_of("c", {"mode", "threads"}), kThree));
  ASSERT_TRUE(store.add_run(1, run_at(0, 0, 1)));
  const auto again = store.add_run(1, run_at(0, 0, 2));
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().text(), HasSubstr("run 0 of configuration 0 on 'here' is there already"));
  EXPECT_FALSE(store.add_run(1, run_at(3, 0, 1)));
  EXPECT_FALSE(store.add_run(7, run_at(0, 0, 1)));
  // All or none.
  EXPECT_FALSE(store.add_runs(1, std::vector<RunRow>{run_at(0, 1, 1, "new machine"), run_at(0, 0, 1)}));
  EXPECT_EQ(store.repeats_done(1, "new machine")->at(0), 0u);
  ASSERT_TRUE(store.add_run(1, run_at(0, 1, 1, "new machine")));
  EXPECT_THAT(*store.repeats_done(1, "here"), ElementsAre(1, 0, 0));
}

TEST(Store, SummariesCountAndAverage) {
  const ScratchDir dir;
  Store store = opened(dir.path() / "s.db");
  ASSERT_TRUE(store.add_campaign(facts_of("c", {"mode", "threads"}), kThree));
  for (std::uint32_t i = 0; i < 4; ++i) ASSERT_TRUE(store.add_run(1, run_at(0, i, 1e9 + i)));
  RunRow bad = run_at(0, 4, 5);
  bad.state = RunState::disturbed;
  ASSERT_TRUE(store.add_run(1, bad));
  bad = run_at(1, 0, 5);
  bad.state = RunState::failed;
  bad.throughput.reset();
  ASSERT_TRUE(store.add_run(1, bad));
  const auto summary = store.summary(1);
  ASSERT_TRUE(summary);
  const ConfigurationSummary& first = summary->at(0);
  EXPECT_EQ(first.ok, 4u);
  EXPECT_EQ(first.disturbed, 1u);
  EXPECT_DOUBLE_EQ(first.mean, 1e9 + 1.5);
  EXPECT_NEAR(first.deviation, std::sqrt(5.0 / 3), 1e-6);
  EXPECT_EQ(first.least, 1e9);
  EXPECT_EQ(first.greatest, 1e9 + 3);
  EXPECT_EQ(summary->at(1).failed, 1u);
  EXPECT_EQ(summary->at(2).ok, 0u);
  EXPECT_THAT(summary->at(2).levels, ElementsAre("write", "1"));
  EXPECT_THAT(store.throughputs(1)->at(0), ElementsAre(1e9, 1e9 + 1, 1e9 + 2, 1e9 + 3));
  EXPECT_TRUE(store.throughputs(1)->at(1).empty());
  EXPECT_THAT(*store.repeats_done(1, "here"), ElementsAre(5, 1, 0));
  EXPECT_THAT(*store.repeats_done(1, "elsewhere"), ElementsAre(0, 0, 0));
}

TEST(Store, WhatIsNoStoreIsRefused) {
  const ScratchDir dir;
  const auto text = dir.path() / "notes.db";
  std::ofstream(text) << "not a database at all, but long enough to look at it twice\n";
  EXPECT_THAT(Store::open(text).error().text(), HasSubstr("is no store of results"));
  EXPECT_THAT(Store::open_to_read(text).error().text(), HasSubstr("is no store of results"));
  EXPECT_FALSE(is_store(text));

  const auto other = dir.path() / "other.db";
  execute(other, "CREATE TABLE bookmarks(url)");
  EXPECT_THAT(Store::open(other).error().text(), HasSubstr("of another program"));

  const auto newer = dir.path() / "newer.db";
  { opened(newer); }
  execute(newer, "PRAGMA user_version = 9");
  const auto refused = Store::open(newer);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::unsupported);
  EXPECT_THAT(refused.error().text(), HasSubstr("newer Weir (store version 9"));

  EXPECT_EQ(Store::open_to_read(dir.path() / "none.db").error().code(), Errc::not_found);
  EXPECT_THAT(Store::open(dir.path()).error().text(), HasSubstr("is not a file"));
  EXPECT_FALSE(Store::open(dir.path() / "no such directory" / "s.db"));
  for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
    EXPECT_EQ(entry.path().string().find("-lock"), std::string::npos) << entry.path();
}

TEST(Store, DamageIsReportedNotFollowed) {
  const ScratchDir dir;
  const auto file = dir.path() / "s.db";
  {
    Store store = opened(file);
    ASSERT_TRUE(store.add_campaign(facts_of("c", {"mode", "threads"}), kThree));
    std::vector<RunRow> runs;
    for (std::uint32_t i = 0; i < 2000; ++i) {
      runs.push_back(run_at(i % 3, i, i));
      runs.back().notes = Json{{"i", i}};
    }
    ASSERT_TRUE(store.add_runs(1, runs));
  }
  std::ifstream in(file, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    std::string damaged = whole;
    if (seed % 4 == 0) {
      damaged.resize(random.below(whole.size()));
    } else {
      const std::size_t first = 100 + random.below(whole.size() - 1200);
      for (std::size_t i = first; i < first + 1000; ++i) damaged[i] = static_cast<char>(random.below(256));
    }
    const auto copy = dir.path() / "copy.db";
    std::ofstream(copy, std::ios::binary | std::ios::trunc)
        .write(damaged.data(), static_cast<std::streamsize>(damaged.size()));
    auto store = Store::open_to_read(copy);
    if (!store) {
      EXPECT_FALSE(store.error().text().empty());
      continue;
    }
    (void)store->campaign(1);
    (void)store->summary(1);
    (void)store->repeats_done(1, "here");
    (void)store->throughputs(1);
    (void)store->for_each_run(1, true, [](const RunRow&, const Levels&) {});
  }
}

TEST(Store, HasOneWriterAndManyReaders) {
  const ScratchDir dir;
  const auto file = dir.path() / "s.db";
  Store store = opened(file);
  ASSERT_TRUE(store.add_campaign(facts_of("c", {"mode", "threads"}), kThree));
  ASSERT_TRUE(store.add_run(1, run_at(0, 0, 1)));
  EXPECT_THAT(Store::open(file).error().text(), HasSubstr("this process writes to it"));
  EXPECT_EQ(in_child([&] {
              const auto other = Store::open(file);
              return !other && other.error().text().find("another process (") != std::string::npos ? 0 : 1;
            }),
            0);
  EXPECT_EQ(in_child([&] {
              const auto reader = Store::open_to_read(file);
              return reader && reader->repeats_done(1, "here")->at(0) == 1 ? 0 : 1;
            }),
            0);
  ASSERT_TRUE(store.add_run(1, run_at(0, 1, 1)));
}

TEST(Store, ATransactionOfAnotherProgramIsWaitedForAndThenNamed) {
  const ScratchDir dir;
  const auto file = dir.path() / "s.db";
  Store store = opened(file);
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto refused = store.add_campaign(facts_of("c", {"mode", "threads"}), kThree);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("another process writes to it"));
  sqlite3_exec(db, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  EXPECT_TRUE(store.add_campaign(facts_of("c", {"mode", "threads"}), kThree));
}

TEST(Store, ReadOnlyPlacesAreNamedAndStillRead) {
  const ScratchDir dir;
  const auto file = dir.path() / "s.db";
  {
    Store store = opened(file);
    ASSERT_TRUE(store.add_campaign(facts_of("c", {"mode", "threads"}), kThree));
    ASSERT_TRUE(store.add_run(1, run_at(0, 0, 1)));
  }
  std::filesystem::permissions(file, std::filesystem::perms(0444));
  std::filesystem::permissions(dir.path(), std::filesystem::perms(0555));
  const int outcome = in_child([&] {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return 77;
    if (::access(dir.path().c_str(), R_OK | X_OK) != 0) return 77;
    const auto writer = Store::open(file);
    if (writer || writer.error().text().find("cannot write to it") == std::string::npos) return 1;
    const auto fresh = Store::open(dir.path() / "new.db");
    if (fresh || fresh.error().text().find("Permission denied") == std::string::npos) return 2;
    const auto reader = Store::open_to_read(file);
    if (!reader) return 3;
    return reader->repeats_done(1, "here")->at(0) == 1 ? 0 : 4;
  });
  std::filesystem::permissions(dir.path(), std::filesystem::perms(0755));
  if (outcome == 77) GTEST_SKIP() << "cannot become another user here";
  EXPECT_EQ(outcome, 0);
}

TEST(Store, AFullDiskLosesNothingStored) {
  const ScratchDir dir;
  const int outcome = in_child([&] {
    if (::unshare(::geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0) return 77;
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 77;
    if (::mount("none", dir.path().c_str(), "tmpfs", 0, "size=512k") != 0) return 77;
    const auto file = dir.path() / "s.db";
    std::uint32_t kept = 0;
    {
      auto store = Store::open(file);
      if (!store || !store->add_campaign(facts_of("c", {"mode", "threads"}), kThree)) return 1;
      for (;; ++kept) {
        const auto added = store->add_run(1, run_at(0, kept, 1));
        if (added) continue;
        if (added.error().code() != Errc::full ||
            added.error().text().find("no space left") == std::string::npos)
          return 2;
        break;
      }
    }
    if (kept < 10) return 3;
    const auto again = Store::open_to_read(file);
    if (!again) return 4;
    return again->repeats_done(1, "here")->at(0) == kept ? 0 : 5;
  });
  if (outcome == 77) GTEST_SKIP() << "no small file system can be mounted here";
  EXPECT_EQ(outcome, 0);
}

// A child adds runs and says so run by run; it is killed at a moment that depends on the seed.
TEST(Store, EveryAcknowledgedRunSurvivesAKillExactlyOnce) {
  const ScratchDir dir;
  const auto file = dir.path() / "s.db";
  { ASSERT_TRUE(opened(file).add_campaign(facts_of("c", {"mode", "threads"}), kThree)); }
  std::uint32_t acknowledged = 0;
  Random random(5);
  for (int kill = 0; kill < 20; ++kill) {
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(pipe[0]);
      auto store = Store::open(file);
      if (!store) ::_exit(1);
      auto next = (*store->repeats_done(1, "here"))[0];
      for (;; ++next) {
        if (!store->add_run(1, run_at(0, next, next))) ::_exit(2);
        if (::write(pipe[1], &next, sizeof next) != sizeof next) ::_exit(3);
      }
    }
    ::close(pipe[1]);
    std::uint32_t last = 0;
    std::uint64_t until = 1 + random.below(40);
    while (until-- > 0 && ::read(pipe[0], &last, sizeof last) == sizeof last) acknowledged = last + 1;
    for (std::uint64_t spin = random.below(200'000); spin > 0; --spin) asm volatile("");
    ::kill(child, SIGKILL);
    while (::read(pipe[0], &last, sizeof last) == sizeof last) acknowledged = last + 1;
    ::close(pipe[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child left by itself with " << WEXITSTATUS(status);

    const auto store = Store::open_to_read(file);
    ASSERT_TRUE(store) << store.error().text();
    std::multiset<std::uint32_t> repeats;
    ASSERT_TRUE(
        store->for_each_run(1, false, [&](const RunRow& run, const Levels&) { repeats.insert(run.repeat); }));
    ASSERT_GE(repeats.size(), acknowledged);
    ASSERT_LE(repeats.size(), acknowledged + 1) << "stored and not yet said";
    for (std::uint32_t i = 0; i < repeats.size(); ++i) ASSERT_EQ(repeats.count(i), 1u) << i;
  }
  EXPECT_GE(acknowledged, 20u);
  EXPECT_TRUE(Store::open(file));
  EXPECT_FALSE(std::filesystem::exists(file.string() + "-lock"));
}

TEST(Store, CampaignsAreFoundByNameOrNumber) {
  const ScratchDir dir;
  Store store = opened(dir.path() / "s.db");
  EXPECT_THAT(find_campaign(store, "").error().text(), HasSubstr("holds no campaign"));
  for (const char* name : {"a", "b", "a"}) ASSERT_TRUE(store.add_campaign(facts_of(name, {}), {}));
  EXPECT_EQ(*find_campaign(store, ""), 3);
  EXPECT_EQ(*find_campaign(store, "a"), 3);
  EXPECT_EQ(*find_campaign(store, "b"), 2);
  EXPECT_EQ(*find_campaign(store, "1"), 1);
  EXPECT_THAT(find_campaign(store, "c").error().text(), HasSubstr("there are a (3), b (2), a (1)"));
}

TEST(Merge, JoinsRunsOfTheSameCampaign) {
  const ScratchDir dir;
  const auto make = [&](const char* name, const char* machine, const std::vector<Levels>& levels,
                        double value) {
    Store store = opened(dir.path() / name);
    CampaignFacts facts = facts_of("c", {"mode", "threads"});
    facts.environment = Json{{"host", machine}};
    EXPECT_TRUE(store.add_campaign(facts, levels));
    for (std::uint32_t i = 0; i < 3; ++i) {
      RunRow run = run_at(1, i, value + i, machine);
      run.notes = Json{{"run", i}};
      EXPECT_TRUE(store.add_run(1, run));
    }
  };
  make("a.db", "one", kThree, 10);
  make("b.db", "two", {{"read", "2"}, {"fread", "9"}}, 20);  // other numbers, and one more configuration
  Store into = opened(dir.path() / "all.db");
  auto merged = merge_stores(into, {dir.path() / "a.db", dir.path() / "b.db", dir.path() / "a.db"});
  ASSERT_TRUE(merged) << merged.error().text();
  EXPECT_EQ(merged->campaigns, 1u);
  EXPECT_EQ(merged->runs, 6u);
  EXPECT_EQ(merged->known, 3u);
  EXPECT_EQ(into.configurations(1)->size(), 4u);
  EXPECT_THAT(into.configurations(1)->at(3), ElementsAre("fread", "9"));
  EXPECT_THAT(into.throughputs(1)->at(1), ElementsAre(10, 11, 12));
  EXPECT_THAT(into.throughputs(1)->at(3), ElementsAre(20, 21, 22));
  EXPECT_EQ(into.environments(1)->size(), 2u);

  make("c.db", "one", kThree, 11);  // the same keys, other values
  merged = merge_stores(into, {dir.path() / "c.db"});
  ASSERT_FALSE(merged);
  EXPECT_THAT(merged.error().text(), HasSubstr("run 0 of mode=read threads=2 on 'one' in campaign 'c'"));
  EXPECT_THAT(merged.error().text(), HasSubstr("c.db"));
  EXPECT_EQ(into.throughputs(1)->at(1).size(), 3u);
  EXPECT_THAT(merge_stores(into, {into.file()}).error().text(), HasSubstr("into itself"));
  EXPECT_FALSE(merge_stores(into, {dir.path() / "none.db"}));
}

TEST(Merge, AFailureLeavesEverythingAsItWas) {
  const ScratchDir dir;
  {
    Store a = opened(dir.path() / "a.db");
    ASSERT_TRUE(a.add_campaign(facts_of("c", {"mode", "threads"}), kThree));
    ASSERT_TRUE(a.add_run(1, run_at(0, 0, 1, "new machine")));
  }
  std::ofstream(dir.path() / "b.db") << "no database";
  Store into = opened(dir.path() / "all.db");
  EXPECT_FALSE(merge_stores(into, {dir.path() / "a.db", dir.path() / "b.db"}));
  EXPECT_TRUE(into.campaigns()->empty());
  const auto merged = merge_stores(into, {dir.path() / "a.db"});
  ASSERT_TRUE(merged) << merged.error().text();
  EXPECT_EQ(into.repeats_done(1, "new machine")->at(0), 1u);
}

}  // namespace
}  // namespace weir::campaign
