#include <atomic>
#include <cerrno>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>

#include "base/file.hpp"
#include "burst/test_cluster.hpp"

// Buffer space comes back, and what comes back was not needed.
namespace weir::burst {
namespace {

constexpr std::uint64_t kQuota = std::uint64_t{4} << 20;
constexpr std::size_t kFile = std::size_t{1} << 20;

std::string content_of(int number, int version = 0) {
  std::string text(kFile, '\0');
  for (std::size_t i = 0; i < text.size(); i += 8) {
    const std::uint64_t value =
        (static_cast<std::uint64_t>(number) << 40) | (static_cast<std::uint64_t>(version) << 32) | i;
    std::memcpy(text.data() + i, &value, sizeof value);
  }
  return text;
}

std::uint64_t at(int number) { return static_cast<std::uint64_t>(number) * kFile; }
std::string name_of(int number) { return "f" + std::to_string(number); }

struct Space : testing::Test {
  std::unique_ptr<TestCluster> start(std::uint32_t servers, WhenFull when_full,
                                     std::uint64_t quota = kQuota) {
    auto cluster = std::make_unique<TestCluster>(servers, 2);
    cluster->job().quota_bytes = quota;
    cluster->job().when_full = when_full;
    for (std::uint32_t i = 0; i < servers; ++i) cluster->restart(i);
    return cluster;
  }
  static int write_file(FileSystem& system, int number, int version = 0, std::string_view model = "session") {
    const auto file = open_with(system, name_of(number), model);
    const int error = write_text(*file, content_of(number, version), 0);
    const int closed = file->close();
    return error != 0 ? error : closed;
  }
  static std::string read_file(FileSystem& system, int number) {
    const auto file = open_with(system, name_of(number), "session", O_RDONLY);
    return read_text_at(*file, kFile, 0);
  }
  static SegmentStore::Counts space(TestCluster& cluster, std::uint32_t node = 0) {
    return cluster.server(node).agent().store().counts();
  }
  static std::uint64_t reclaim(FileSystem& system, Reclaim how) {
    const auto answer = system.session().ask({system.node(), 0}, AskReclaim{how});
    EXPECT_EQ(answer.error, 0);
    return answer.body.bytes;
  }
};

TEST_F(Space, TwentyTimesTheQuotaGoesThroughWhileOthersRead) {
  const auto cluster = start(2, WhenFull::spill);
  constexpr int kFiles = 80;
  std::atomic<int> written = 0;
  std::atomic<int> wrong = 0;
  std::atomic<int> reads = 0;
  const auto read_along = [&](std::uint32_t node, unsigned seed) {
    const auto system = cluster->client(node);
    while (written < kFiles) {
      if (written == 0) continue;
      seed = seed * 1664525 + 1013904223;
      const int number = static_cast<int>(seed >> 8) % written;
      if (read_file(*system, number) != content_of(number)) ++wrong;
      ++reads;
    }
  };
  std::thread same_node([&] { read_along(0, 1); });
  std::thread other_node([&] { read_along(1, 2); });
  const auto writer = cluster->client();
  for (int i = 0; i < kFiles; ++i) {
    EXPECT_EQ(write_file(*writer, i), 0) << i;
    EXPECT_LE(space(*cluster).buffered_bytes, kQuota);
    written = i + 1;
  }
  same_node.join();
  other_node.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(reads, 0);
  EXPECT_EQ(space(*cluster).spilled_bytes, 0U);
  EXPECT_GE(space(*cluster).freed_bytes, kFiles * kFile - kQuota);
  const auto reader = cluster->client(1);
  for (int i = 0; i < kFiles; ++i) EXPECT_TRUE(read_file(*reader, i) == content_of(i)) << i;
}

TEST_F(Space, AFullBufferFailsWhenItMayNotSpillAndGoesOnWhenThereIsRoom) {
  const auto cluster = start(1, WhenFull::fail);
  const auto writer = cluster->client();
  int written = 0;
  while (written < 80 && write_file(*writer, written) == 0) ++written;
  EXPECT_GE(written, 2);
  EXPECT_LE(written, 4);
  const auto file = open_with(*writer, "one more", "session");
  EXPECT_EQ(write_text(*file, content_of(99), 0), ENOSPC);
  for (int i = 0; i < written; ++i) EXPECT_TRUE(read_file(*writer, i) == content_of(i)) << i;
  EXPECT_EQ(writer->unlink(name_of(0)), 0);
  EXPECT_EQ(writer->unlink(name_of(1)), 0);
  EXPECT_EQ(write_text(*file, content_of(99), 0), 0);
  EXPECT_EQ(file->close(), 0);
}

TEST_F(Space, WhatWasOverwrittenIsNotKept) {
  const auto cluster = start(1, WhenFull::fail);
  const auto writer = cluster->client();
  for (int i = 0; i < 40; ++i) ASSERT_EQ(write_file(*writer, 7, i), 0) << i;
  EXPECT_TRUE(read_file(*writer, 7) == content_of(7, 39));
  // Not published either: the same file again and again in one session.
  const auto file = open_with(*writer, "other", "session");
  constexpr std::size_t kPart = kFile / 4;
  for (int i = 0; i < 160; ++i) ASSERT_EQ(write_text(*file, content_of(1, i).substr(0, kPart), 0), 0) << i;
  EXPECT_TRUE(read_text_at(*file, kFile, 0) == content_of(1, 159).substr(0, kPart));
}

TEST_F(Space, AnOldUnpublishedByteHoldsItsSegmentAndNoOther) {
  const auto cluster = start(1, WhenFull::spill);
  const auto writer = cluster->client();
  const auto old = open_with(*writer, "old", "session");
  ASSERT_EQ(write_text(*old, "precious", 5), 0);
  for (int i = 0; i < 40; ++i) ASSERT_EQ(write_file(*writer, i), 0) << i;
  EXPECT_EQ(space(*cluster).spilled_bytes, 0U);
  EXPECT_EQ(read_text_at(*old, 8, 5), "precious");
  ASSERT_EQ(old->close(), 0);
  EXPECT_EQ(read_text_at(*open_with(*cluster->client(), "old", "session"), 8, 5), "precious");
}

TEST_F(Space, UnpublishedBytesOfALivingClientStayWhateverIsAskedFor) {
  const auto cluster = start(1, WhenFull::spill);
  const auto writer = cluster->client();
  const auto file = open_with(*writer, "a", "none");
  for (int i = 0; i < 3; ++i) ASSERT_EQ(write_text(*file, content_of(i), at(i)), 0);
  const auto other = cluster->client();
  for (const Reclaim how : {Reclaim::unused, Reclaim::flushed, Reclaim::all}) reclaim(*other, how);
  cluster->restart(0);  // and who has died since is not known any more
  for (const Reclaim how : {Reclaim::unused, Reclaim::flushed, Reclaim::all}) reclaim(*other, how);
  ASSERT_EQ(file->attach_all(), 0);
  const auto reader = open_with(*other, "a", "session", O_RDONLY);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(read_text_at(*reader, kFile, at(i)) == content_of(i)) << i;
}

TEST_F(Space, AReaderWithAnOldPlaceReadsOnFromTheBackingDirectory) {
  const auto cluster = start(2, WhenFull::spill, 0);
  for (const std::uint32_t node : {0U, 1U}) {
    const auto writer = cluster->client();
    ASSERT_EQ(write_file(*writer, 1, static_cast<int>(node)), 0);
    const auto reader = cluster->client(node);
    const auto early = open_with(*reader, name_of(1), "session", O_RDONLY);
    ASSERT_EQ(open_with(*writer, name_of(1), "session")->flush(), 0);
    for (int i = 2; i < 30; ++i) ASSERT_EQ(write_file(*writer, i), 0);  // its first segment is full
    ASSERT_GT(reclaim(*writer, Reclaim::all), 0U);
    EXPECT_TRUE(read_text_at(*early, kFile, 0) == content_of(1, static_cast<int>(node)));
  }
}

TEST_F(Space, NothingOfAClientThatHasEndedStaysButWhatItPublished) {
  const auto cluster = start(1, WhenFull::spill, 0);
  auto writer = cluster->client();
  ASSERT_EQ(write_file(*writer, 1), 0);
  const auto lost = open_with(*writer, "lost", "none");
  for (int i = 0; i < 8; ++i) ASSERT_EQ(write_text(*lost, content_of(i), at(i)), 0);
  const std::uint64_t before = space(*cluster).segments;
  lost->close();
  writer.reset();
  const auto other = cluster->client();
  EXPECT_GT(reclaim(*other, Reclaim::unused), 0U);
  EXPECT_EQ(space(*cluster).segments, 1U);
  EXPECT_GT(before, 1U);
  EXPECT_TRUE(read_file(*other, 1) == content_of(1));
  // All of it goes once it is flushed.
  EXPECT_GT(reclaim(*other, Reclaim::all), 0U);
  EXPECT_EQ(space(*cluster).segments, 0U);
  EXPECT_EQ(space(*cluster).buffered_bytes, 0U);
  EXPECT_TRUE(read_file(*other, 1) == content_of(1));
}

TEST_F(Space, AServerThatStartsAgainKnowsWhatItsBufferHolds) {
  const auto cluster = start(1, WhenFull::spill);
  const auto writer = cluster->client();
  for (int i = 0; i < 6; ++i) ASSERT_EQ(write_file(*writer, i), 0);
  const SegmentStore::Counts before = space(*cluster);
  cluster->restart(0);
  EXPECT_EQ(space(*cluster).buffered_bytes, before.buffered_bytes);
  EXPECT_EQ(space(*cluster).segments, before.segments);
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(read_file(*writer, i) == content_of(i)) << i;
}

TEST_F(Space, AFlushIsNotRobbedOfWhatItReads) {
  const auto cluster = start(2, WhenFull::spill, std::uint64_t{64} << 20);
  std::atomic<bool> stop = false;
  std::thread frees([&] {
    const auto system = cluster->client(0);
    while (!stop) reclaim(*system, Reclaim::unused);
  });
  std::thread flushes([&] {
    const auto system = cluster->client(1);
    while (!stop) EXPECT_EQ(open_with(*system, name_of(1), "commit")->flush(), 0);
  });
  const auto writer = cluster->client(0);
  for (int i = 0; i < 60; ++i) ASSERT_EQ(write_file(*writer, 1, i), 0);
  stop = true;
  frees.join();
  flushes.join();
  EXPECT_TRUE(read_file(*writer, 1) == content_of(1, 59));
}

TEST_F(Space, FlushingWritingTruncatingAndRenamingAtOnceLoseNothing) {
  const auto cluster = start(2, WhenFull::spill);
  std::atomic<bool> stop = false;
  std::thread presses([&] {
    const auto system = cluster->client(1);
    while (!stop) {
      for (std::uint32_t node : {0U, 1U}) {
        EXPECT_EQ(system->session().ask({node, 0}, AskReclaim{Reclaim::all}).error, 0);
      }
    }
  });
  const auto writer = cluster->client();
  for (int i = 0; i < 15; ++i) {
    ASSERT_EQ(write_file(*writer, 1, i, "commit"), 0);
    {
      const auto file = open_with(*writer, name_of(1), "commit", O_RDWR);
      ASSERT_EQ(file->truncate(kFile / 2), 0);
      ASSERT_EQ(write_text(*file, "end", kFile - 3), 0);
      ASSERT_EQ(file->close(), 0);
    }
    ASSERT_EQ(writer->rename(name_of(1), name_of(2)), 0);
    const std::string expected =
        content_of(1, i).substr(0, kFile / 2) + std::string(kFile / 2 - 3, '\0') + "end";
    ASSERT_TRUE(read_file(*writer, 2) == expected) << i;
    if (i % 3 == 0) {
      ASSERT_EQ(writer->unlink(name_of(2)), 0);
    }
  }
  stop = true;
  presses.join();
  EXPECT_FALSE(std::filesystem::exists(cluster->backing() / name_of(1)));
}

// A server that died while it made a segment leaves a file without a header; whatever has one is kept.
TEST_F(Space, ASegmentThatWasNeverBegunGoesWhenTheServerComesBack) {
  const auto cluster = start(1, WhenFull::spill, 0);
  const auto system = cluster->client();
  ASSERT_EQ(write_file(*system, 1), 0);
  const auto folder = segments_of(cluster->job().servers[0]);
  const std::uint64_t before = space(*cluster).segments;
  const auto unwritten = folder / segment_name(4711, 1);
  const auto begun = folder / segment_name(4711, 2);
  std::ofstream{unwritten};
  std::filesystem::resize_file(unwritten, kSmallestSegment);
  ASSERT_EQ(create_segment(begun, {.job = "test", .number = 2, .client = 4711, .bytes = kSmallestSegment},
                           Reserve::lazily),
            0);
  cluster->restart(0);
  EXPECT_FALSE(std::filesystem::exists(unwritten));
  EXPECT_TRUE(std::filesystem::exists(begun));
  EXPECT_EQ(space(*cluster).segments, before + 1);
  EXPECT_EQ(read_file(*system, 1), content_of(1));
}

}  // namespace
}  // namespace weir::burst
