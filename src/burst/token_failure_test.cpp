// What was written under tokens, and who holds them, when processes and servers die and messages are lost.
#include <array>
#include <atomic>
#include <csignal>
#include <memory>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burst/test_cluster.hpp"

namespace weir::burst {
namespace {

using lock::Mode;

constexpr std::uint64_t kBlock = lock::kBlockSize;

// A client in a process of its own; killed when it has done what it should.
template <class Work>
void kill_after(const Work& work) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const char done = work() ? 'y' : 'n';
    static_cast<void>(!::write(pipe[1], &done, 1));
    for (;;) ::pause();
  }
  char answer = '?';
  EXPECT_EQ(::read(pipe[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  ::kill(child, SIGKILL);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST(TokenFailures, WhatAKilledClientWroteIsReadAndItsLocksEnd) {
  for (const std::uint32_t nodes : {1U, 2U}) {
    TestCluster cluster(nodes);
    kill_after([&] {
      // Neither the client nor the file ends before the process does.
      FileSystem& system = *cluster.client(0).release();
      File& file = **new std::shared_ptr<File>(open_with(system, "f", "posix-lock"));
      return write_text(file, "of the dead", 0) == 0 && file.lock({0, kBlock}, Mode::exclusive) == 0 &&
             write_text(file, "!", 11) == 0;
    });
    const auto other = cluster.client(nodes - 1);
    const auto file = open_with(*other, "f", "posix-lock");
    EXPECT_EQ(read_text_at(*file, 99, 0), "of the dead!");
    EXPECT_EQ(write_text(*file, "Of", 0), 0);
    EXPECT_EQ(read_text_at(*file, 99, 0), "Of the dead!");
  }
}

TEST(TokenFailures, ARestartedServerLosesNothingWrittenUnderTokens) {
  for (const std::uint32_t restarted : {0U, 1U}) {
    TestCluster cluster(2);
    const auto one = cluster.client(0);
    const auto two = cluster.client(1);
    std::vector<std::shared_ptr<File>> files;  // of both owners
    for (int i = 0; i < 6; ++i) {
      files.push_back(open_with(*one, "f" + std::to_string(i), "posix-lock"));
      ASSERT_EQ(write_text(*files.back(), "kept", 0), 0);
    }
    cluster.restart(restarted);
    for (int i = 0; i < 6; ++i) {
      File& file = *files[static_cast<std::size_t>(i)];
      const auto other = open_with(*two, "f" + std::to_string(i), "posix-lock");
      if (i % 2 == 0) {
        ASSERT_EQ(write_text(file, "more", 4), 0);
        EXPECT_EQ(read_text_at(*other, 99, 0), "keptmore");
      }
      ASSERT_EQ(write_text(*other, "K", 0), 0);
      EXPECT_EQ(read_text_at(file, 4, 0), "Kept");
    }
  }
}

TEST(TokenFailures, ALockIsHeldOverARestart) {
  for (const bool both : {false, true}) {
    TestCluster cluster(2);
    const auto one = cluster.client(0);
    const auto two = cluster.client(1);
    for (int i = 0; i < 4; ++i) {
      const auto a = open_with(*one, "f" + std::to_string(i), "posix-lock");
      const auto b = open_with(*two, "f" + std::to_string(i), "posix-lock");
      ASSERT_EQ(write_text(*a, "a", 0), 0);
      ASSERT_EQ(a->lock({0, 1}, Mode::exclusive), 0);
      if (both) cluster.restart(1);
      cluster.restart(0);
      std::atomic<bool> written = false;
      std::thread other([&] {
        EXPECT_EQ(write_text(*b, "b", 0), 0);
        written = true;
      });
      for (int n = 0; n < 20; ++n) {
        EXPECT_EQ(write_text(*a, "A", 0), 0);
        EXPECT_EQ(read_text_at(*a, 1, 0), "A");
      }
      EXPECT_FALSE(written);
      EXPECT_EQ(a->unlock({0, 1}), 0);
      other.join();
      EXPECT_EQ(read_text_at(*a, 1, 0), "b");
    }
  }
}

// Clients add one to numbers in a file, under locks, while `disturb` happens.
void count_up(TestCluster& cluster, int each, const std::function<void()>& disturb) {
  std::vector<std::thread> threads;
  constexpr std::uint32_t kClients = 4;
  for (std::uint32_t i = 0; i < kClients; ++i)
    threads.emplace_back([&cluster, i, each] {
      const auto system = cluster.client(i % 2);
      const auto file = open_with(*system, "n", "posix-lock");
      for (int n = 0; n < each; ++n) {
        const Span at{static_cast<std::uint64_t>(n % 2) * kBlock,
                      static_cast<std::uint64_t>(n % 2) * kBlock + 8};
        ASSERT_EQ(file->lock(at, Mode::exclusive), 0);
        const std::string before = read_text_at(*file, 8, at.begin);
        ASSERT_EQ(before.size(), 8U);
        ASSERT_EQ(write_text(*file, fmt::format("{:08}", std::stoi(before) + 1), at.begin), 0);
        ASSERT_EQ(file->unlock(at), 0);
      }
    });
  disturb();
  for (std::thread& thread : threads) thread.join();
  const auto system = cluster.client();
  const auto file = open_with(*system, "n", "posix-lock");
  EXPECT_EQ(std::stoi(read_text_at(*file, 8, 0)) + std::stoi(read_text_at(*file, 8, kBlock)),
            static_cast<int>(kClients) * each);
}

void begin_numbers(TestCluster& cluster) {
  const auto system = cluster.client();
  const auto file = open_with(*system, "n", "posix-lock");
  ASSERT_EQ(write_text(*file, "00000000", 0), 0);
  ASSERT_EQ(write_text(*file, "00000000", kBlock), 0);
}

TEST(TokenFailures, NothingIsLostWhileServersAreRestarted) {
  TestCluster cluster(2);
  begin_numbers(cluster);
  count_up(cluster, 40, [&] {
    for (std::uint32_t i = 0; i < 6; ++i) cluster.restart(i % 2);
  });
}

TEST(TokenFailures, NothingIsLostOverANetworkThatLosesAndDelays) {
  using namespace std::chrono_literals;
  TestCluster cluster(
      2, 1, {.shortest_delay = 0us, .longest_delay = 2ms, .drop = 0.05, .duplicate = 0.05, .reorder = true});
  begin_numbers(cluster);
  count_up(cluster, 15, [] {});
}

// A file that the second server owns.
std::string name_of_the_second(TestCluster& cluster) {
  for (int i = 0;; ++i)
    if (std::string name = "f" + std::to_string(i); cluster.job().layout().home_of(name).server == 1)
      return name;
}

// A file that the second server owns, opened on the first node, where nobody waits long for an answer.
struct OwnedByTheSecond {
  OwnedByTheSecond() {
    cluster.job().limit_ms = 300;
    system = cluster.client(0);
    name = name_of_the_second(cluster);
    file = open_with(*system, name, "posix-lock");
  }

  TestCluster cluster{2};
  std::unique_ptr<FileSystem> system;
  std::string name;
  std::shared_ptr<File> file;
};

template <class Done>
bool comes_true(const Done& done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!done())
    if (std::chrono::steady_clock::now() > deadline) return false;
  return true;
}

TEST(TokenFailures, WhatTheOwnerDoesNotKnowIsNotTakenForDrained) {
  OwnedByTheSecond held;
  const auto& file = held.file;
  ASSERT_EQ(write_text(*file, "kept", 0), 0);
  held.cluster.kill(1);
  const std::uint64_t before = held.system->session().questions();
  std::thread first([&] { EXPECT_EQ(file->drain_tokens(), EIO); });
  while (held.system->session().questions() == before) std::this_thread::yield();
  EXPECT_EQ(file->drain_tokens(), EIO);  // while the other's is under way
  first.join();
  EXPECT_EQ(file->drain_tokens(), EIO);
  EXPECT_EQ(file->flush(), EIO);
  held.cluster.restart(1);
  EXPECT_TRUE(comes_true([&] { return file->drain_tokens() == 0; }));
  std::vector<Extent> extents;
  EXPECT_EQ(file->owners({0, 4}, extents), 0);
  EXPECT_EQ(extents.size(), 1U);
}

TEST(TokenFailures, AResizeThatFailedHoldsNothing) {
  OwnedByTheSecond held;
  ASSERT_EQ(write_text(*held.file, "mine", 0), 0);
  held.cluster.kill(1);
  EXPECT_EQ(held.file->truncate(2), EIO);
  EXPECT_EQ(held.file->append(bytes_of("more")).error, EIO);
  held.cluster.restart(1);
  const auto two = held.cluster.client(1);
  const auto b = open_with(*two, held.name, "posix-lock");
  EXPECT_TRUE(comes_true([&] { return write_text(*b, "B", 0) == 0; }));
  EXPECT_EQ(read_text_at(*b, 4, 0), "Bine");
}

TEST(TokenFailures, ANodeThatIsAwayKeepsItsTokens) {
  OwnedByTheSecond held;
  ASSERT_EQ(write_text(*held.file, "mine", 0), 0);
  const auto two = held.cluster.client(1);
  const auto b = open_with(*two, held.name, "posix-lock");
  held.cluster.kill(0);  // the holder only
  EXPECT_EQ(read_text_at(*b, 4, 0), "error 5");
  EXPECT_EQ(write_text(*b, "B", 0), EIO);
  held.cluster.restart(0);
  EXPECT_EQ(read_text_at(*held.file, 4, 0), "mine");
}

// More writes than a process has places on the board, each without an answer: later ones fail too and none
// hangs, and all goes on when the server is back.
TEST(TokenFailures, WritesThatWereNotAnsweredTakeNoPlaceFromLaterOnes) {
  constexpr std::uint64_t kWrites = 6;
  TestCluster cluster(1, 1, {}, 1, {lock::GrantRange::exact, lock::Settle::split});
  cluster.job().limit_ms = 200;
  const auto system = cluster.client();
  const auto file = open_with(*system, "f", "posix-lock");
  ASSERT_EQ(write_text(*file, "first", 0), 0);
  cluster.kill(0);
  for (std::uint64_t i = 1; i <= kWrites; ++i) EXPECT_EQ(write_text(*file, "x", i * kBlock), EIO);
  cluster.restart(0);
  for (std::uint64_t i = 1; i <= kWrites; ++i)
    EXPECT_TRUE(comes_true([&] { return write_text(*file, "y", i * kBlock) == 0; }));
  for (std::uint64_t i = 1; i <= kWrites; ++i) EXPECT_EQ(read_text_at(*file, 1, i * kBlock), "y");
  EXPECT_EQ(read_text_at(*file, 5, 0), "first");
}

}  // namespace
}  // namespace weir::burst
