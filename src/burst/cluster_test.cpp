#include <cerrno>
#include <fstream>
#include <thread>

#include "base/file.hpp"
#include "burst/test_cluster.hpp"

namespace weir::burst {
namespace {

std::string content(const std::filesystem::path& path) {
  const auto text = read_text(path);
  return text ? *text : "nothing";
}

TEST(Cluster, OwnWritesAreReadBackBeforeTheyArePublished) {
  TestCluster cluster;
  const auto system = cluster.client();
  const auto file = open_with(*system, "a", "session");
  EXPECT_EQ(write_text(*file, "hello", 3), 0);
  EXPECT_EQ(read_text_at(*file, 100, 0), std::string("\0\0\0hello", 8));
  EXPECT_EQ(write_text(*file, "EL", 4), 0);
  EXPECT_EQ(read_text_at(*file, 5, 3), "hELlo");
}

TEST(Cluster, SessionShowsWhatWasClosedToWhoOpensAfterwards) {
  TestCluster cluster;
  const auto one = cluster.client();
  const auto two = cluster.client();
  const auto writer = open_with(*one, "a", "session");
  const auto early = open_with(*two, "a", "session");
  EXPECT_EQ(write_text(*writer, "hello", 0), 0);
  EXPECT_EQ(read_text_at(*early, 5, 0), "");
  EXPECT_EQ(writer->close(), 0);
  EXPECT_EQ(read_text_at(*early, 5, 0), "");
  const auto late = open_with(*two, "a", "session");
  EXPECT_EQ(read_text_at(*late, 5, 0), "hello");
}

TEST(Cluster, CommitShowsWhatWasSyncedToAll) {
  TestCluster cluster(2);
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  const auto writer = open_with(*one, "a", "commit");
  const auto reader = open_with(*two, "a", "commit");
  EXPECT_EQ(write_text(*writer, "hello", 0), 0);
  EXPECT_EQ(read_text_at(*reader, 5, 0), "");
  EXPECT_EQ(writer->sync(consistency::Operation::fsync), 0);
  EXPECT_EQ(read_text_at(*reader, 5, 0), "hello");
}

TEST(Cluster, PosixShowsEveryWriteAtOnce) {
  TestCluster cluster(2, 2);
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  const auto a = open_with(*one, "a", "posix");
  const auto b = open_with(*two, "a", "posix");
  EXPECT_EQ(write_text(*a, "aaaa", 0), 0);
  EXPECT_EQ(write_text(*b, "bb", 1), 0);
  EXPECT_EQ(read_text_at(*a, 9, 0), "abba");
  EXPECT_EQ(read_text_at(*b, 9, 0), "abba");
}

TEST(Cluster, EventualShowsWritesAfterAWhile) {
  TestCluster cluster;
  const auto one = cluster.client();
  const auto two = cluster.client();
  const auto writer = open_with(*one, "a", "eventual");
  const auto reader = open_with(*two, "a", "eventual");
  EXPECT_EQ(write_text(*writer, "hello", 0), 0);
  std::string seen;
  for (int i = 0; i < 1000 && seen.empty(); ++i) {
    seen = read_text_at(*reader, 5, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(seen, "hello");
}

TEST(Cluster, NoneShowsWhatIsAttachedToWhoQueries) {
  TestCluster cluster;
  const auto one = cluster.client();
  const auto two = cluster.client();
  const auto writer = open_with(*one, "a", "none");
  const auto reader = open_with(*two, "a", "none");
  EXPECT_EQ(write_text(*writer, "0123456789", 0), 0);
  EXPECT_EQ(writer->attach({2, 6}), 0);
  EXPECT_EQ(read_text_at(*reader, 10, 0), "");
  EXPECT_EQ(reader->query_all(), 0);
  EXPECT_EQ(read_text_at(*reader, 10, 0), std::string("\0\0", 2) + "2345");
  std::string got(4, '?');
  EXPECT_EQ(reader->read_peer(one->session().client(), std::as_writable_bytes(std::span(got)), 2).bytes, 4U);
  EXPECT_EQ(got, "2345");
  EXPECT_EQ(reader->read_peer(one->session().client(), std::as_writable_bytes(std::span(got)), 3).error,
            ENODATA);
  EXPECT_EQ(writer->detach({2, 6}), 0);
  EXPECT_EQ(reader->query_all(), 0);
  EXPECT_EQ(read_text_at(*reader, 10, 0), std::string(6, '\0'));
}

TEST(Cluster, AttachingTwiceSendsNothing) {
  TestCluster cluster;
  const auto system = cluster.client();
  const auto file = open_with(*system, "a", "none");
  EXPECT_EQ(write_text(*file, "x", 0), 0);
  EXPECT_EQ(file->attach_all(), 0);
  const std::uint64_t before = system->session().questions();
  EXPECT_EQ(file->attach_all(), 0);
  EXPECT_EQ(system->session().questions(), before);
}

TEST(Cluster, AReadBringsBytesOfSeveralWritersOfSeveralNodes) {
  TestCluster cluster(3);
  const auto a = cluster.client(0);
  const auto b = cluster.client(1);
  const auto c = cluster.client(2);
  for (const auto& [system, text, offset] :
       {std::tuple{a.get(), "aa", 0U}, std::tuple{b.get(), "bb", 2U}, std::tuple{c.get(), "cc", 6U}}) {
    const auto file = open_with(*system, "shared", "session");
    EXPECT_EQ(write_text(*file, text, offset), 0);
    EXPECT_EQ(file->close(), 0);
  }
  const auto reader = open_with(*b, "shared", "session");
  EXPECT_EQ(read_text_at(*reader, 100, 0), std::string("aabb\0\0cc", 8));
}

TEST(Cluster, FilesOfTheSameNameInOtherFoldersAreOthers) {
  TestCluster cluster(2);
  std::filesystem::create_directories(cluster.backing() / "x");
  std::filesystem::create_directories(cluster.backing() / "y");
  const auto system = cluster.client();
  EXPECT_EQ(write_text(*open_with(*system, "x/f", "session"), "in x", 0), 0);
  EXPECT_EQ(write_text(*open_with(*system, "y/f", "session"), "in y", 0), 0);
  EXPECT_EQ(read_text_at(*open_with(*system, "x/f", "session"), 9, 0), "in x");
  EXPECT_EQ(read_text_at(*open_with(*system, (cluster.backing() / "y" / "f").string(), "session"), 9, 0),
            "in y");
}

TEST(Cluster, WhatIsInTheBackingDirectoryIsReadFromThere) {
  TestCluster cluster(2);
  std::ofstream(cluster.backing() / "old") << "old content";
  const auto system = cluster.client(1);
  const auto file = open_with(*system, "old", "session", O_RDWR);
  EXPECT_EQ(read_text_at(*file, 100, 0), "old content");
  EXPECT_EQ(write_text(*file, "NEW", 0), 0);
  EXPECT_EQ(read_text_at(*file, 100, 0), "NEW content");
  EXPECT_EQ(file->flush(), 0);
  EXPECT_EQ(content(cluster.backing() / "old"), "NEW content");
}

TEST(Cluster, FlushPutsAllPublishedBytesIntoTheBackingDirectory) {
  TestCluster cluster(2);
  const auto a = cluster.client(0);
  const auto b = cluster.client(1);
  const auto of_a = open_with(*a, "f", "commit");
  const auto of_b = open_with(*b, "f", "commit");
  EXPECT_EQ(write_text(*of_a, "aaaa", 0), 0);
  EXPECT_EQ(of_a->sync(consistency::Operation::fsync), 0);
  EXPECT_EQ(write_text(*of_b, "bb", 6), 0);
  EXPECT_EQ(of_b->flush(), 0);
  EXPECT_EQ(content(cluster.backing() / "f"), std::string("aaaa\0\0bb", 8));
}

TEST(Cluster, AppendsOfSeveralProcessesDoNotOverlap) {
  TestCluster cluster(2);
  constexpr int kEach = 100;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&cluster, i] {
      const auto system = cluster.client(static_cast<std::uint32_t>(i % 2));
      const auto file = open_with(*system, "log", "posix", O_WRONLY | O_CREAT | O_APPEND);
      const std::string line(8, static_cast<char>('a' + i));
      for (int n = 0; n < kEach; ++n) EXPECT_EQ(file->write(bytes_of(line)).error, 0);
    });
  for (std::thread& thread : threads) thread.join();
  const auto system = cluster.client();
  const std::string all = read_text_at(*open_with(*system, "log", "posix"), 10'000, 0);
  ASSERT_EQ(all.size(), 3U * kEach * 8U);
  std::array<int, 3> counted{};
  for (std::size_t i = 0; i < all.size(); i += 8) {
    ASSERT_EQ(all.substr(i, 8), std::string(8, all[i]));
    ++counted.at(static_cast<std::size_t>(all[i] - 'a'));
  }
  EXPECT_EQ(counted, (std::array<int, 3>{kEach, kEach, kEach}));
}

TEST(Cluster, OnlyOneOfManyCreatesExclusively) {
  TestCluster cluster(2);
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      const auto system = cluster.client(i % 2);
      const auto opened = system->open("only", O_RDWR | O_CREAT | O_EXCL, 0600);
      EXPECT_TRUE(opened.error == 0 || opened.error == EEXIST);
      made += opened.error == 0 ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
}

TEST(Cluster, TruncationCutsAndLengthens) {
  TestCluster cluster(2);
  std::ofstream(cluster.backing() / "f") << "0123456789";
  const auto system = cluster.client(1);
  const auto file = open_with(*system, "f", "posix");
  EXPECT_EQ(write_text(*file, "abc", 8), 0);
  EXPECT_EQ(file->truncate(9), 0);
  EXPECT_EQ(read_text_at(*file, 99, 0), "01234567a");
  EXPECT_EQ(file->truncate(4), 0);
  EXPECT_EQ(file->truncate(6), 0);
  EXPECT_EQ(read_text_at(*file, 99, 0), std::string("0123\0\0", 6));
  Attributes attributes;
  EXPECT_EQ(file->stat(attributes), 0);
  EXPECT_EQ(attributes.size, 6U);
}

TEST(Cluster, ARenamedFileKeepsItsBytesAndReplacesTheOther) {
  TestCluster cluster(3, 2);
  const auto system = cluster.client();
  for (int i = 0; i < 20; ++i) {
    const std::string from = "from" + std::to_string(i);
    const std::string to = "to" + std::to_string(i);
    EXPECT_EQ(write_text(*open_with(*system, from, "session"), "new", 0), 0);
    EXPECT_EQ(write_text(*open_with(*system, to, "session"), "older", 0), 0);
    EXPECT_EQ(system->rename(from, to), 0);
    EXPECT_EQ(system->open(from, O_RDONLY, 0).error, ENOENT);
    EXPECT_EQ(read_text_at(*open_with(*system, to, "session"), 99, 0), "new");
    EXPECT_EQ(open_with(*system, to, "session")->flush(), 0);
    EXPECT_EQ(content(cluster.backing() / to), "new");
  }
}

TEST(Cluster, AnUnlinkedFileLivesAsLongAsItIsOpen) {
  TestCluster cluster(2);
  std::ofstream(cluster.backing() / "f") << "backed";
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  const auto file = open_with(*one, "f", "posix");
  EXPECT_EQ(write_text(*file, "X", 0), 0);
  EXPECT_EQ(two->unlink("f"), 0);
  EXPECT_EQ(two->open("f", O_RDONLY, 0).error, ENOENT);
  EXPECT_FALSE(std::filesystem::exists(cluster.backing() / "f"));
  EXPECT_EQ(read_text_at(*file, 99, 0), "Xacked");
  EXPECT_EQ(write_text(*file, "Y", 1), 0);
  EXPECT_EQ(read_text_at(*file, 99, 0), "XYcked");
  EXPECT_EQ(file->close(), 0);
  EXPECT_EQ(two->unlink("f"), ENOENT);
}

TEST(Cluster, AServerThatComesBackKnowsWhatWasPublished) {
  TestCluster cluster(2);
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  std::vector<std::shared_ptr<File>> files;
  for (int i = 0; i < 10; ++i) {
    files.push_back(open_with(*one, "f" + std::to_string(i), "commit"));
    EXPECT_EQ(write_text(*files.back(), "kept", 0), 0);
    EXPECT_EQ(files.back()->sync(consistency::Operation::fsync), 0);
  }
  cluster.restart(0);
  cluster.restart(1);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(read_text_at(*open_with(*two, "f" + std::to_string(i), "commit"), 99, 0), "kept");
    EXPECT_EQ(write_text(*files[static_cast<std::size_t>(i)], "more", 4), 0);
    EXPECT_EQ(files[static_cast<std::size_t>(i)]->sync(consistency::Operation::fsync), 0);
    EXPECT_EQ(read_text_at(*open_with(*two, "f" + std::to_string(i), "commit"), 99, 0), "keptmore");
  }
}

TEST(Cluster, WorksOverANetworkThatLosesAndDelays) {
  using namespace std::chrono_literals;
  TestCluster cluster(
      2, 1, {.shortest_delay = 0us, .longest_delay = 2ms, .drop = 0.05, .duplicate = 0.05, .reorder = true});
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  for (int i = 0; i < 10; ++i) {
    const std::string name = "f" + std::to_string(i);
    const auto writer = open_with(*one, name, "session");
    EXPECT_EQ(write_text(*writer, name, 0), 0);
    EXPECT_EQ(writer->close(), 0);
    EXPECT_EQ(read_text_at(*open_with(*two, name, "session"), 99, 0), name);
    EXPECT_EQ(two->rename(name, name + "x"), 0);
    EXPECT_EQ(one->unlink(name + "x"), 0);
  }
}

TEST(Cluster, WrongPathsAndOffsetsAreRefused) {
  TestCluster cluster;
  const auto system = cluster.client();
  EXPECT_EQ(system->open("/etc/passwd", O_RDONLY, 0).error, EXDEV);
  EXPECT_EQ(system->open("../out", O_RDWR | O_CREAT, 0600).error, EXDEV);
  EXPECT_EQ(system->open("missing/f", O_RDWR | O_CREAT, 0600).error, ENOENT);
  EXPECT_EQ(system->open("missing", O_RDWR, 0).error, ENOENT);
  const auto file = open_with(*system, "f", "posix");
  EXPECT_EQ(file->pwrite(bytes_of("x"), ~std::uint64_t{0}).error, EINVAL);
  EXPECT_EQ(file->pwrite(bytes_of("xy"), (std::uint64_t{1} << 63) - 2).error, EFBIG);
  EXPECT_EQ(file->pwrite({}, 5).error, 0);
  EXPECT_EQ(read_text_at(*file, 10, 1000), "");
  std::uint64_t at = 0;
  EXPECT_EQ(file->seek(-1, SEEK_SET, at), EINVAL);
}

}  // namespace
}  // namespace weir::burst
