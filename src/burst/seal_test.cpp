// Before a job ends: nothing is taken in any more that the last flush would miss.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/file.hpp"
#include "burst/server_protocol.hpp"
#include "burst/test_cluster.hpp"

namespace weir::burst {
namespace {

// To all workers; the first errno.
int seal(TestCluster& cluster, Session& by, bool lift = false) {
  const Layout layout = cluster.job().layout();
  for (std::uint32_t server = 0; server < layout.servers; ++server)
    for (std::uint32_t worker = 0; worker < layout.workers; ++worker)
      if (const int error = by.ask({server, worker}, Seal{lift}).error; error != 0) return error;
  return 0;
}

struct Seals : testing::Test {
  TestCluster cluster{2, 2};
  std::unique_ptr<FileSystem> stopper = cluster.client(1);
  std::unique_ptr<FileSystem> system = cluster.client(0);
};

TEST_F(Seals, NothingNewIsPublishedUnderAnyModel) {
  for (const char* const model : {"posix", "posix-lock", "commit", "session"}) {
    SCOPED_TRACE(model);
    const auto file = open_with(*system, fmt::format("of-{}", model), model);
    ASSERT_EQ(write_text(*file, "old", 0), 0);
    ASSERT_EQ(file->publish_as_close(), 0);
    ASSERT_EQ(seal(cluster, stopper->session()), 0);
    EXPECT_EQ(read_text_at(*file, 9, 0), "old");
    const int written = write_text(*file, "new", 0);
    EXPECT_EQ(written != 0 ? written : file->publish_as_close(), EROFS);
    const auto reader = open_with(*stopper, fmt::format("of-{}", model), model, O_RDONLY);
    EXPECT_EQ(read_text_at(*reader, 9, 0), "old");
    EXPECT_EQ(reader->close(), 0);
    ASSERT_EQ(seal(cluster, stopper->session(), true), 0);
    EXPECT_EQ(file->close(), 0);
    EXPECT_EQ(read_text_at(*open_with(*stopper, fmt::format("of-{}", model), model), 9, 0), "new");
  }
}

TEST_F(Seals, NotEvenUnderALockThatIsHeld) {
  const auto file = open_with(*system, "f", "posix-lock");
  ASSERT_EQ(file->lock({0, 1}, lock::Mode::exclusive), 0);
  ASSERT_EQ(write_text(*file, "a", 0), 0);
  ASSERT_EQ(seal(cluster, stopper->session()), 0);
  EXPECT_EQ(write_text(*file, "b", 0), EROFS);
  ASSERT_EQ(seal(cluster, stopper->session(), true), 0);
  EXPECT_EQ(write_text(*file, "c", 0), 0);
}

TEST_F(Seals, TheBoardOfTheFirstTokenIsClosedToo) {
  const auto file = open_with(*system, "f", "posix-lock");
  ASSERT_EQ(seal(cluster, stopper->session()), 0);
  EXPECT_EQ(write_text(*file, "a", 0), EROFS);
}

TEST_F(Seals, NamesAndSizesStayAsTheyAre) {
  const auto file = open_with(*system, "f", "posix");
  ASSERT_EQ(write_text(*file, "text", 0), 0);
  ASSERT_EQ(seal(cluster, stopper->session()), 0);
  EXPECT_EQ(system->open("g", O_RDWR | O_CREAT, 0600).error, EROFS);
  EXPECT_EQ(system->open("f", O_RDWR, 0600).error, EROFS);
  EXPECT_EQ(system->open("f", O_WRONLY | O_TRUNC, 0600).error, EROFS);
  EXPECT_EQ(system->rename("f", "g"), EROFS);
  EXPECT_EQ(system->link(file->id(), "g"), EROFS);
  EXPECT_EQ(system->unlink("f"), EROFS);
  EXPECT_EQ(file->truncate(1), EROFS);
  EXPECT_EQ(file->append(bytes_of("more")).error, EROFS);
  Attributes attributes;
  EXPECT_EQ(system->stat("f", attributes), 0);
  EXPECT_EQ(attributes.size, 4U);
  EXPECT_EQ(file->close(), 0);  // nothing of it was left to publish but the append, which had failed
}

TEST_F(Seals, OneAtATimeMaySeal) {
  ASSERT_EQ(seal(cluster, stopper->session()), 0);
  EXPECT_EQ(seal(cluster, stopper->session()), 0);
  EXPECT_EQ(seal(cluster, system->session()), EBUSY);
  EXPECT_EQ(seal(cluster, system->session(), true), EBUSY);
  EXPECT_EQ(seal(cluster, stopper->session(), true), 0);
  EXPECT_EQ(seal(cluster, system->session()), 0);
}

TEST_F(Seals, ASealEndsWithTheProcessThatAskedForIt) {
  const auto file = open_with(*system, "f", "posix");
  const auto locked = open_with(*system, "l", "posix-lock");
  ASSERT_EQ(seal(cluster, stopper->session()), 0);
  ASSERT_EQ(write_text(*file, "x", 0), EROFS);
  ASSERT_EQ(write_text(*locked, "x", 0), EROFS);
  stopper.reset();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (File* const one : {file.get(), locked.get()}) {
    while (write_text(*one, "x", 0) == EROFS && std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
    EXPECT_EQ(write_text(*one, "y", 0), 0);
  }
}

// Its server asks again for what it asked for and was not answered: not after it has told of its end.
TEST_F(Seals, AClientThatHasLeftSealsNothing) {
  cluster.job().limit_ms = 100;
  for (int round = 0; round < 8; ++round) {
    cluster.net().cut("mem:0.0", "mem:1.0");
    auto leaver = cluster.client(0);
    EXPECT_EQ(leaver->session().ask({1, 0}, Seal{}).error, EIO);
    leaver.reset();
    cluster.net().restore("mem:0.0", "mem:1.0");
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    int error = EBUSY;
    while (error == EBUSY && std::chrono::steady_clock::now() < deadline)
      error = stopper->session().ask({1, 0}, Seal{}).error;
    ASSERT_EQ(error, 0);
    ASSERT_EQ(stopper->session().ask({1, 0}, Seal{true}).error, 0);
  }
}

TEST_F(Seals, AServerThatCameBackSaysThatItWasOpen) {
  const auto first = stopper->session().ask({0, 0}, Seal{});
  const auto again = stopper->session().ask({0, 0}, Seal{});
  EXPECT_EQ(first.body.since_ns, again.body.since_ns);
  cluster.restart(0);
  const auto later = stopper->session().ask({0, 0}, Seal{});
  ASSERT_EQ(later.error, 0);
  EXPECT_NE(first.body.since_ns, later.body.since_ns);
}

// Writers on both nodes go on until they are refused; whatever was answered before is in the backing file.
TEST_F(Seals, AFlushThatFollowsMissesNothingThatWasTakenIn) {
  constexpr std::uint64_t kWriters = 6;
  for (const char* const model : {"posix", "posix-lock", "commit"}) {
    SCOPED_TRACE(model);
    const std::string name = fmt::format("shared-{}", model);
    std::array<std::atomic<std::uint64_t>, kWriters> taken{};
    std::vector<std::thread> writers;
    for (std::uint64_t i = 0; i < kWriters; ++i)
      writers.emplace_back([&, i] {
        const auto own = cluster.client(static_cast<std::uint32_t>(i % 2));
        const auto file = open_with(*own, name, model);
        for (std::uint64_t n = 0;; ++n) {
          int error = write_text(*file, fmt::format("{:08}", n), (n * kWriters + i) * 8);
          if (error == 0) error = file->sync(consistency::Operation::fsync);
          if (error != 0) {
            EXPECT_EQ(error, EROFS);
            return;
          }
          taken[i] = n + 1;
        }
      });
    const auto all_write = [&] {
      return std::ranges::all_of(taken, [](const auto& count) { return count > 20; });
    };
    while (!all_write()) std::this_thread::yield();
    ASSERT_EQ(seal(cluster, stopper->session()), 0);
    for (std::uint32_t server = 0; server < 2; ++server)
      for (std::uint32_t worker = 0; worker < 2; ++worker)
        ASSERT_EQ(stopper->session().ask({server, worker}, FlushAll{}).error, 0);
    const auto flushed = read_text(cluster.backing() / name);
    for (std::thread& writer : writers) writer.join();
    ASSERT_TRUE(flushed);
    for (std::uint64_t i = 0; i < kWriters; ++i)
      for (std::uint64_t n = 0; n < taken[i]; ++n)
        ASSERT_EQ(flushed->substr((n * kWriters + i) * 8, 8), fmt::format("{:08}", n)) << "writer " << i;
    ASSERT_EQ(seal(cluster, stopper->session(), true), 0);
  }
}

}  // namespace
}  // namespace weir::burst
