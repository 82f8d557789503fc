// The token protocol in a running cluster: the model posix-lock, explicit locks, counters, and what happens
// when somebody dies.
#include <array>
#include <atomic>
#include <fstream>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "burst/append_test.hpp"
#include "burst/lock/workload_test.hpp"
#include "burst/test_cluster.hpp"

namespace weir::burst {
namespace {

using lock::Counters;
using lock::GrantRange;
using lock::Mode;
using lock::Settle;

constexpr std::uint64_t kBlock = lock::kBlockSize;

// Alpha, beta and gamma of each node, as its server counts them.
Counters counted(FileSystem& system, std::uint32_t node) {
  Counters sum;
  for (std::uint32_t worker = 0; worker < system.session().job().workers; ++worker) {
    const auto answer = system.session().ask({node, worker}, GetStats{});
    EXPECT_EQ(answer.error, 0);
    for (const Counter& row : answer.body.rows) {
      if (row.name == "locks.new") sum.fresh += row.value;
      if (row.name == "locks.local") sum.local += row.value;
      if (row.name == "locks.conflict") sum.conflict += row.value;
    }
  }
  return sum;
}

TEST(Tokens, AWriteIsSeenByAllAtOnceOnOneNode) {
  TestCluster cluster;
  const auto one = cluster.client();
  const auto two = cluster.client();
  const auto a = open_with(*one, "f", "posix-lock");
  const auto b = open_with(*two, "f", "posix-lock");
  EXPECT_EQ(write_text(*a, "aaaa", 0), 0);
  EXPECT_EQ(read_text_at(*b, 9, 0), "aaaa");
  EXPECT_EQ(write_text(*b, "bb", 1), 0);
  EXPECT_EQ(read_text_at(*a, 9, 0), "abba");
  EXPECT_EQ(read_text_at(*b, 9, 0), "abba");
}

TEST(Tokens, AWriteIsSeenByAllAtOnceOnTwoNodes) {
  TestCluster cluster(2, 2);
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  for (int i = 0; i < 8; ++i) {
    const std::string name = "f" + std::to_string(i);
    const auto a = open_with(*one, name, "posix-lock");
    const auto b = open_with(*two, name, "posix-lock");
    EXPECT_EQ(write_text(*a, "aaaa", 0), 0);
    EXPECT_EQ(write_text(*b, "bb", 1), 0);
    EXPECT_EQ(read_text_at(*a, 9, 0), "abba");
    EXPECT_EQ(read_text_at(*b, 9, 0), "abba");
  }
}

TEST(Tokens, UnderAHeldTokenWritesAndReadsSendNothing) {
  TestCluster cluster(2);
  const auto system = cluster.client(1);
  const auto file = open_with(*system, "f", "posix-lock");
  EXPECT_EQ(write_text(*file, std::string(3 * kBlock, 'x'), 0), 0);
  EXPECT_EQ(read_text_at(*file, 4, 0), "xxxx");
  const std::uint64_t before = system->session().questions();
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(write_text(*file, std::to_string(i % 10), i), 0);
    EXPECT_EQ(read_text_at(*file, 1, i), std::to_string(i % 10));
  }
  EXPECT_EQ(system->session().questions(), before);
}

TEST(Tokens, ManyWritesThatNobodyReadAreKeptByTheRing) {
  // More than a ring has room for.
  TestCluster cluster(2);
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  const auto writer = open_with(*one, "f", "posix-lock");
  constexpr std::uint64_t kWrites = 20'000;
  for (std::uint64_t i = 0; i < kWrites; ++i)
    ASSERT_EQ(write_text(*writer, std::string(1, static_cast<char>('a' + i % 26)), i), 0);
  const std::string seen = read_text_at(*open_with(*two, "f", "posix-lock"), 2 * kWrites, 0);
  ASSERT_EQ(seen.size(), kWrites);
  for (std::uint64_t i = 0; i < kWrites; ++i) ASSERT_EQ(seen[i], static_cast<char>('a' + i % 26)) << i;
}

TEST(Tokens, AQueryHidesNoOwnWrite) {
  TestCluster cluster;
  const auto system = cluster.client();
  const auto file = open_with(*system, "f", "posix-lock");
  EXPECT_EQ(write_text(*file, "aaaa", 0), 0);
  EXPECT_EQ(read_text_at(*file, 9, 0), "aaaa");
  EXPECT_EQ(write_text(*file, "bbbbbb", 1), 0);
  EXPECT_EQ(file->query_all(), 0);  // the owner has not heard of it
  EXPECT_EQ(read_text_at(*file, 9, 0), "abbbbbb");
}

TEST(Tokens, AShortReadKnowsHowLongTheFileIs) {
  TestCluster cluster(2);
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  const auto a = open_with(*one, "f", "posix-lock");
  const auto b = open_with(*two, "f", "posix-lock");
  EXPECT_EQ(read_text_at(*b, 4, 0), "");
  EXPECT_EQ(write_text(*a, "x", 100 * kBlock), 0);  // far from what b looked at
  EXPECT_EQ(read_text_at(*b, 4, 0), std::string(4, '\0'));
  Attributes attributes;
  EXPECT_EQ(write_text(*a, "y", 200 * kBlock), 0);
  EXPECT_EQ(b->stat(attributes), 0);
  EXPECT_EQ(attributes.size, 200 * kBlock + 1);
}

TEST(Tokens, TruncationIsSeenByAll) {
  TestCluster cluster(2);
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  const auto a = open_with(*one, "f", "posix-lock");
  const auto b = open_with(*two, "f", "posix-lock");
  EXPECT_EQ(write_text(*a, "0123456789", 0), 0);
  EXPECT_EQ(b->truncate(4), 0);
  EXPECT_EQ(read_text_at(*a, 99, 0), "0123");
  EXPECT_EQ(write_text(*a, "X", 6), 0);
  EXPECT_EQ(read_text_at(*b, 99, 0), std::string("0123\0\0X", 7));
  const auto again = open_with(*two, "f", "posix-lock", O_RDWR | O_TRUNC);
  EXPECT_EQ(read_text_at(*a, 99, 0), "");
}

TEST(Tokens, AppendsOfSeveralNodesDoNotOverlap) {
  TestCluster cluster(2);
  expect_appends_apart(cluster, "posix-lock", 40);
}

TEST(Tokens, WhatWasWrittenIsInTheBackingDirectoryAfterAFlushOfAll) {
  TestCluster cluster(2);
  const auto one = cluster.client(0);
  const auto file = open_with(*one, "f", "posix-lock");
  EXPECT_EQ(write_text(*file, "kept", 0), 0);
  EXPECT_EQ(cluster.server(0).flush_all().error, 0);
  EXPECT_EQ(cluster.server(1).flush_all().error, 0);
  std::ifstream in(cluster.backing() / "f");
  std::string text;
  in >> text;
  EXPECT_EQ(text, "kept");
}

// --- explicit locks ---

TEST(Tokens, ALockKeepsOthersOutUntilItIsReleased) {
  for (const std::uint32_t nodes : {1U, 2U}) {
    TestCluster cluster(nodes);
    const auto one = cluster.client(0);
    const auto two = cluster.client(nodes - 1);
    const auto a = open_with(*one, "f", "posix-lock");
    const auto b = open_with(*two, "f", "posix-lock");
    EXPECT_EQ(write_text(*b, "first", 0), 0);
    ASSERT_EQ(a->lock({0, 10}, Mode::exclusive), 0);
    std::atomic<bool> written = false;
    std::thread other([&] {
      EXPECT_EQ(write_text(*b, "B", 0), 0);
      written = true;
    });
    for (int i = 0; i < 50; ++i) {
      EXPECT_EQ(write_text(*a, "A", 0), 0);
      EXPECT_EQ(read_text_at(*a, 5, 0), "Airst");
    }
    EXPECT_FALSE(written);
    EXPECT_EQ(a->unlock({5, 6}), 0);
    other.join();
    EXPECT_EQ(read_text_at(*a, 5, 0), "Birst");
  }
}

TEST(Tokens, SharedLocksAreHeldTogether) {
  TestCluster cluster(2);
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  const auto a = open_with(*one, "f", "none");
  const auto b = open_with(*two, "f", "none");
  EXPECT_EQ(a->lock({0, 10}, Mode::shared), 0);
  EXPECT_EQ(b->lock({0, 10}, Mode::shared), 0);
  EXPECT_EQ(a->unlock_all(), 0);
  EXPECT_EQ(one->tokens().unlock_all(), 0);
  EXPECT_EQ(b->close(), 0);
  EXPECT_EQ(a->lock({0, 10}, Mode::exclusive), 0);  // the other's ended with its file
}

// Clients of one node write the same block without a pause, under a token that serves them without a message:
// one of another node has its turn all the same, and so do they in between.
TEST(Tokens, ANodeThatWritesAllTheTimeKeepsNobodyOut) {
  constexpr int kTurns = 50;
  TestCluster cluster(2);
  std::atomic<bool> over = false;
  std::atomic<std::uint64_t> busy_writes = 0;
  std::vector<std::thread> busy;
  for (int i = 0; i < 2; ++i)
    busy.emplace_back([&] {
      const auto system = cluster.client(0);
      const auto file = open_with(*system, "f", "posix-lock");
      for (; !over; ++busy_writes) ASSERT_EQ(write_text(*file, "busy", 0), 0);
    });
  const auto system = cluster.client(1);
  const auto file = open_with(*system, "f", "posix-lock");
  std::uint64_t stood_still = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    const std::uint64_t before = busy_writes;
    EXPECT_EQ(write_text(*file, "mine", 0), 0);
    EXPECT_EQ(read_text_at(*file, 4, 8), "");  // of the file's end, which needs the token too
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (busy_writes == before && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    stood_still += busy_writes == before ? 1 : 0;
  }
  over = true;
  for (std::thread& thread : busy) thread.join();
  EXPECT_EQ(stood_still, 0u);
  EXPECT_GE(counted(*system, 1).conflict, std::uint64_t{kTurns / 2});
}

TEST(Tokens, LocksCountUpUnderContention) {
  // Each adds one to a number in the file: nothing is lost only if the lock excludes the others.
  TestCluster cluster(2);
  constexpr int kEach = 30;
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < 4; ++i)
    threads.emplace_back([&cluster, i] {
      const auto system = cluster.client(i % 2);
      const auto file = open_with(*system, "n", "posix-lock");
      for (int n = 0; n < kEach; ++n) {
        ASSERT_EQ(file->lock({0, 8}, Mode::exclusive), 0);
        const std::string before = read_text_at(*file, 8, 0);
        ASSERT_EQ(write_text(*file, fmt::format("{:08}", before.empty() ? 1 : std::stoi(before) + 1), 0), 0);
        ASSERT_EQ(file->unlock({0, 8}), 0);
      }
    });
  for (std::thread& thread : threads) thread.join();
  const auto system = cluster.client();
  EXPECT_EQ(read_text_at(*open_with(*system, "n", "posix-lock"), 8, 0), fmt::format("{:08}", 4 * kEach));
}

// --- Table 5.8 by the running system ---

using lock::Pattern;
using lock::Workload;

constexpr std::array kPatterns = {Pattern::file_per_process, Pattern::contiguous, Pattern::strided};
const Workload kSmall{4, 4, 4};

// Servers, and a client a rank.
class Ranks {
 public:
  Ranks(const Workload& job, lock::Options options) : job_(job), cluster_(job.nodes, 1, {}, 1, options) {
    for (std::uint64_t rank = 0; rank < job.ranks(); ++rank)
      systems_.push_back(cluster_.client(static_cast<std::uint32_t>(rank / job.processes)));
  }

  // One write after the other, to new files; alpha, beta and gamma that this brought each node.
  std::vector<Counters> write(const std::vector<lock::BlockWrite>& writes) {
    const std::string run = "run" + std::to_string(++runs_) + "-";
    const std::vector<Counters> before = counters();
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::shared_ptr<File>> files;
    const std::string block(kBlock, 'x');
    for (const lock::BlockWrite& write : writes) {
      auto& file = files[{write.rank, write.file}];
      if (!file) file = open_with(*systems_[write.rank], run + std::to_string(write.file), "posix-lock");
      EXPECT_EQ(write_text(*file, block, write.block * kBlock), 0);
    }
    std::vector<Counters> since = counters();
    for (std::size_t node = 0; node < since.size(); ++node) {
      since[node].fresh -= before[node].fresh;
      since[node].local -= before[node].local;
      since[node].conflict -= before[node].conflict;
    }
    return since;
  }

 private:
  std::vector<Counters> counters() {
    std::vector<Counters> all;
    for (std::uint32_t node = 0; node < job_.nodes; ++node) all.push_back(counted(*systems_.front(), node));
    return all;
  }

  Workload job_;
  TestCluster cluster_;
  std::vector<std::unique_ptr<FileSystem>> systems_;
  int runs_ = 0;
};

std::uint64_t orders() { return std::getenv("WEIR_LONG_TESTS") != nullptr ? 50 : 6; }

TEST(TokenCounts, ExactTokensAreAlwaysNew) {
  Ranks ranks(kSmall, {GrantRange::exact, Settle::split});
  for (const Pattern pattern : kPatterns)
    for (std::uint64_t seed = 1; seed <= orders(); ++seed)
      for (const Counters& count : ranks.write(writes_of(kSmall, pattern, seed)))
        EXPECT_EQ(count, (Counters{kSmall.requests(), 0, 0})) << "seed " << seed;
}

TEST(TokenCounts, ExtendedTokensOfPrivateFilesAreAskedForOnce) {
  const Counters expected{kSmall.processes, kSmall.requests() - kSmall.processes, 0};
  for (const GrantRange grant : {GrantRange::extend, GrantRange::extend_end}) {
    Ranks ranks(kSmall, {grant, Settle::split});
    for (std::uint64_t seed = 1; seed <= orders(); ++seed)
      for (const Counters& count : ranks.write(writes_of(kSmall, Pattern::file_per_process, seed)))
        EXPECT_EQ(count, expected) << "seed " << seed;
  }
}

// What lock/overhead_test.cpp holds against the formulas is what servers and clients do.
TEST(TokenCounts, SharedFilesCostWhatTheSimulationSays) {
  for (const GrantRange grant : {GrantRange::extend, GrantRange::extend_end})
    for (const Settle settle : {Settle::split, Settle::revoke}) {
      const lock::Options options{grant, settle};
      Ranks ranks(kSmall, options);
      for (const Pattern pattern : {Pattern::contiguous, Pattern::strided})
        for (std::uint64_t seed = 1; seed <= orders(); ++seed) {
          SCOPED_TRACE(testing::Message()
                       << "grant " << static_cast<int>(grant) << ", settle " << static_cast<int>(settle)
                       << ", pattern " << static_cast<int>(pattern) << ", seed " << seed);
          const auto writes = writes_of(kSmall, pattern, seed);
          EXPECT_EQ(ranks.write(writes), simulated_counts(kSmall, writes, options, seed));
        }
    }
}

TEST(TokenCounts, OneNodeHasNoConflicts) {
  const Workload job{1, 3, 6};
  Ranks ranks(job, {GrantRange::extend, Settle::split});
  for (const Pattern pattern : {Pattern::contiguous, Pattern::strided})
    EXPECT_EQ(ranks.write(writes_of(job, pattern, 1)).front(), (Counters{1, job.requests() - 1, 0}));
}

}  // namespace
}  // namespace weir::burst
