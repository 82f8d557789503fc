#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "base/file.hpp"
#include "burst/append_test.hpp"
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

// Pieces that are read one after the other are mapped ahead; what is read is the same.
TEST(Cluster, LargePiecesAreReadInOrderBackwardsAndAgain) {
  constexpr std::uint64_t kPiece = std::uint64_t{2} << 20;
  constexpr std::uint64_t kPieces = 12;
  TestCluster cluster(2);
  for (const std::uint32_t node : {0U, 1U}) {
    const auto one = cluster.client(0);
    const auto two = cluster.client(node);
    const std::string name = "large" + std::to_string(node);
    const auto writer = open_with(*one, name, "session");
    for (std::uint64_t i = 0; i < kPieces; ++i)
      ASSERT_EQ(write_text(*writer, std::string(kPiece, static_cast<char>('a' + i)), i * kPiece), 0);
    ASSERT_EQ(writer->close(), 0);
    const auto reader = open_with(*two, name, "session");
    for (std::uint64_t i = 0; i < 3 * kPieces; ++i) {
      const std::uint64_t piece = i / kPieces == 1 ? 2 * kPieces - 1 - i : i % kPieces;
      const std::string text = read_text_at(*reader, kPiece, piece * kPiece);
      ASSERT_EQ(text.size(), kPiece);
      ASSERT_EQ(text.find_first_not_of(static_cast<char>('a' + piece)), std::string::npos);
    }
    // The last ones reach over the end.
    EXPECT_EQ(read_text_at(*reader, 2 * kPiece, (kPieces - 1) * kPiece).size(), kPiece);
  }
}

// Whoever reads one file whole has the next one mapped as soon as it opens that, whatever becomes of the file
// then.
TEST(Cluster, FilesOfWhoReadsThemWholeMayBeWrittenAgainCutOrRemovedBeforeTheyAreRead) {
  constexpr std::uint64_t kPiece = std::uint64_t{2} << 20;
  constexpr std::uint64_t kPieces = 3;
  TestCluster cluster;
  const auto one = cluster.client(0);
  const auto two = cluster.client(0);
  const auto write_all = [&](const std::string& name, char letter) {
    const auto writer = open_with(*one, name, "session");
    for (std::uint64_t i = 0; i < kPieces; ++i)
      ASSERT_EQ(write_text(*writer, std::string(kPiece, letter), i * kPiece), 0);
    ASSERT_EQ(writer->close(), 0);
  };
  const auto open_to_read = [&](const std::string& name) {
    return open_with(*two, name, "session", O_RDONLY);
  };
  const auto expect_all = [&](File& file, char letter) {
    for (std::uint64_t i = 0; i < kPieces; ++i)
      ASSERT_EQ(read_text_at(file, kPiece, i * kPiece), std::string(kPiece, letter));
  };
  for (int turn = 0; turn < 4; ++turn) {
    const std::string name = "whole" + std::to_string(turn);
    write_all(name, 'a');
    expect_all(*open_to_read(name), 'a');  // from here on they are expected to be read whole
    const auto before = open_to_read(name);
    if (turn == 1) write_all(name, 'b');
    if (turn == 2) {
      ASSERT_EQ(open_with(*one, name, "session")->truncate(kPiece), 0);
      EXPECT_EQ(read_text_at(*open_to_read(name), kPieces * kPiece, 0), std::string(kPiece, 'a'));
    }
    if (turn == 3) {
      ASSERT_EQ(one->unlink(name), 0);
    }
    if (turn != 2) expect_all(*before, 'a');  // as it was when it was opened
    if (turn == 1) expect_all(*open_to_read(name), 'b');
  }
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
  expect_appends_apart(cluster, "posix", 100);
}

TEST(Cluster, ThreadsThatShareAFileNeverSeeOlderBytesThanWerePublishedBeforeTheyRead) {
  // Answers to the looks of threads come back in any order; an old one must not replace a new one.
  for (const char* const model : {"posix", "commit"}) {
    TestCluster cluster(2);
    const auto one = cluster.client(0);
    const auto two = cluster.client(1);
    const auto writer = open_with(*one, "n", model);
    const auto shared = open_with(*two, "n", model);
    constexpr int kLast = 400;
    std::atomic<int> published = 0;
    std::vector<std::thread> readers;
    for (int i = 0; i < 4; ++i)
      readers.emplace_back([&] {
        while (published < kLast) {
          const int least = published;
          const std::string seen = read_text_at(*shared, 4, 0);
          EXPECT_GE(seen.empty() ? 0 : std::stoi(seen), least) << model;
        }
      });
    for (int n = 1; n <= kLast; ++n) {
      EXPECT_EQ(write_text(*writer, fmt::format("{:04}", n), 0), 0);
      EXPECT_EQ(writer->sync(consistency::Operation::fsync), 0);
      published = n;
    }
    for (std::thread& thread : readers) thread.join();
  }
}

// While one thread publishes and closes, others open: what was written before they did is theirs to see.
TEST(Cluster, AnOpenMissesNothingThatItsProcessHadWritten) {
  constexpr int kWrites = 3000;
  TestCluster cluster;
  const auto system = cluster.client();
  std::atomic<int> written = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i)
    readers.emplace_back([&] {
      while (written < kWrites) {
        const int before = written;
        if (before == 0) continue;
        const auto file = open_with(*system, "f", "session", O_RDONLY);
        ASSERT_GE(std::stoi(read_text_at(*file, 8, 0)), before);
      }
    });
  for (int n = 1; n <= kWrites; ++n) {
    const auto file = open_with(*system, "f", "session");
    ASSERT_EQ(write_text(*file, fmt::format("{:08}", n), 0), 0);
    written = n;
    ASSERT_EQ(file->close(), 0);
  }
  for (std::thread& reader : readers) reader.join();
}

TEST(Cluster, AnAppendIsSeenWithItsBytesOrNotAtAll) {
  // Under posix no reader finds the file longer than what was appended to it.
  for (const std::uint32_t nodes : {1U, 2U}) {
    TestCluster cluster(nodes);
    constexpr int kEach = 150;
    std::atomic<int> writing = 3;
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < 3; ++i)
      threads.emplace_back([&cluster, &writing, i] {
        const auto system = cluster.client(i % static_cast<std::uint32_t>(cluster.job().servers.size()));
        const auto file = open_with(*system, "log", "posix", O_WRONLY | O_CREAT | O_APPEND);
        for (int n = 0; n < kEach; ++n)
          EXPECT_EQ(file->write(bytes_of(std::string(i + 1, static_cast<char>('a' + i)))).error, 0);
        --writing;
      });
    const auto system = cluster.client(nodes - 1);
    const auto file = open_with(*system, "log", "posix");
    std::string before;
    while (writing > 0) {
      const std::string now = read_text_at(*file, 10'000, 0);
      EXPECT_EQ(now.find('\0'), std::string::npos);
      EXPECT_TRUE(now.starts_with(before));
      before = now;
    }
    for (std::thread& thread : threads) thread.join();
    const std::string all = read_text_at(*file, 10'000, 0);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(std::ranges::count(all, static_cast<char>('a' + i)), static_cast<long>((i + 1) * kEach));
  }
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

std::uint32_t names_of(FileSystem& system, std::string_view path) {
  const auto found = system.look(path);
  return found ? found.body.names : 0;
}

int link_names(FileSystem& system, std::string_view from, std::string_view to) {
  const auto found = system.look(from);
  return found ? system.link(found.body.file, to) : found.error;
}

TEST(Cluster, TwoNamesAreOneFile) {
  TestCluster cluster(2, 2);
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  for (int i = 0; i < 8; ++i) {  // so that names and files have homes of all kinds
    const std::string a = "a" + std::to_string(i);
    const std::string b = "b" + std::to_string(i);
    const auto writer = open_with(*one, a, "posix");
    EXPECT_EQ(write_text(*writer, "hello", 0), 0);
    EXPECT_EQ(names_of(*two, a), 1U);
    EXPECT_EQ(link_names(*two, a, b), 0);
    EXPECT_EQ(link_names(*two, a, b), EEXIST);
    EXPECT_EQ(link_names(*two, b, a), EEXIST);
    EXPECT_EQ(names_of(*one, a), 2U);
    EXPECT_EQ(one->look(a).body.file, two->look(b).body.file);
    const auto other = open_with(*two, b, "posix", O_RDWR);
    EXPECT_EQ(write_text(*other, "HE", 0), 0);
    EXPECT_EQ(read_text_at(*writer, 9, 0), "HEllo");
    // Renaming one to the other does nothing.
    EXPECT_EQ(one->rename(a, b), 0);
    EXPECT_EQ(names_of(*one, a), 2U);
    // Each name goes by itself, the first one too.
    EXPECT_EQ(one->rename(b, "c" + b), 0);
    EXPECT_EQ(one->look(b).error, ENOENT);
    EXPECT_EQ(one->unlink(a), 0);
    EXPECT_EQ(one->look(a).error, ENOENT);
    EXPECT_EQ(names_of(*one, "c" + b), 1U);
    EXPECT_EQ(read_text_at(*other, 9, 0), "HEllo");
  }
}

TEST(Cluster, NamesOfOneFileAreLinksInTheBackingDirectoryOnceItIsFlushed) {
  TestCluster cluster(2, 2);
  const auto system = cluster.client();
  std::filesystem::create_directories(cluster.backing() / "sub");
  const auto file = open_with(*system, "a", "posix");
  EXPECT_EQ(write_text(*file, "hello", 0), 0);
  EXPECT_EQ(link_names(*system, "a", "sub/b"), 0);
  EXPECT_FALSE(std::filesystem::exists(cluster.backing() / "sub/b"));
  ASSERT_EQ(file->flush(), 0);
  EXPECT_EQ(content(cluster.backing() / "sub/b"), "hello");
  EXPECT_EQ(std::filesystem::hard_link_count(cluster.backing() / "a"), 2U);
  // From now on at once.
  EXPECT_EQ(link_names(*system, "sub/b", "c"), 0);
  EXPECT_EQ(std::filesystem::hard_link_count(cluster.backing() / "a"), 3U);
  EXPECT_EQ(system->unlink("a"), 0);
  EXPECT_FALSE(std::filesystem::exists(cluster.backing() / "a"));
  EXPECT_EQ(system->rename("c", "d"), 0);
  EXPECT_EQ(std::filesystem::hard_link_count(cluster.backing() / "d"), 2U);
  EXPECT_EQ(write_text(*file, "HE", 0), 0);
  ASSERT_EQ(file->flush(), 0);
  EXPECT_EQ(content(cluster.backing() / "sub/b"), "HEllo");
  // The file itself goes with the last of them.
  EXPECT_EQ(system->unlink("sub/b"), 0);
  EXPECT_EQ(system->unlink("d"), 0);
  EXPECT_FALSE(std::filesystem::exists(cluster.backing() / "d"));
  EXPECT_EQ(read_text_at(*file, 9, 0), "HEllo");
  EXPECT_EQ(link_names(*system, "d", "e"), ENOENT);
}

TEST(Cluster, AFileOfTheBackingDirectoryIsLinkedThere) {
  TestCluster cluster;
  std::ofstream(cluster.backing() / "a") << "there";
  std::ofstream(cluster.backing() / "taken") << "x";
  const auto system = cluster.client();
  EXPECT_EQ(link_names(*system, "a", "taken"), EEXIST);
  EXPECT_EQ(link_names(*system, "a", "missing/b"), ENOENT);
  EXPECT_EQ(link_names(*system, "a", "b"), 0);
  EXPECT_EQ(std::filesystem::hard_link_count(cluster.backing() / "b"), 2U);
  EXPECT_EQ(read_text_at(*open_with(*system, "b", "session", O_RDONLY), 9, 0), "there");
}

TEST(Cluster, AServerThatComesBackKnowsAllNamesOfAFile) {
  TestCluster cluster(2);
  const auto system = cluster.client();
  {
    const auto file = open_with(*system, "a", "session");
    EXPECT_EQ(write_text(*file, "hello", 0), 0);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(link_names(*system, "a", "b" + std::to_string(i)), 0);
    EXPECT_EQ(system->unlink("b3"), 0);
  }
  cluster.restart(0);
  cluster.restart(1);
  EXPECT_EQ(names_of(*system, "a"), 6U);
  EXPECT_EQ(system->unlink("a"), 0);
  cluster.restart(0);
  cluster.restart(1);
  EXPECT_EQ(system->look("b3").error, ENOENT);
  EXPECT_EQ(read_text_at(*open_with(*system, "b5", "session", O_RDONLY), 9, 0), "hello");
  EXPECT_EQ(names_of(*system, "b0"), 5U);
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

// posix_fallocate() of one process while others write behind what it asks for.
TEST(Cluster, GrowingAFileCutsNothing) {
  TestCluster cluster(2);
  const auto a = cluster.client(0);
  const auto b = cluster.client(1);
  for (const std::string_view model : {"posix", "posix-lock", "commit", "session"}) {
    SCOPED_TRACE(model);
    const std::string name(model);
    const auto grower = open_with(*a, name, model);
    const auto writer = open_with(*b, name, model);
    ASSERT_EQ(write_text(*writer, "written behind", 100), 0);
    ASSERT_EQ(writer->close(), 0);
    ASSERT_EQ(write_text(*grower, "own", 200), 0);
    EXPECT_EQ(grower->grow(50), 0);
    EXPECT_EQ(read_text_at(*grower, 3, 200), "own");
    EXPECT_EQ(grower->grow(300), 0);
    Attributes attributes;
    EXPECT_EQ(grower->stat(attributes), 0);
    EXPECT_EQ(attributes.size, 300u);
    EXPECT_EQ(grower->close(), 0);
    const auto reader = open_with(*b, name, model, O_RDONLY);
    EXPECT_EQ(read_text_at(*reader, 14, 100), "written behind");
    EXPECT_EQ(read_text_at(*reader, 1000, 200), "own" + std::string(97, '\0'));
  }
}

TEST(Cluster, GrowingAFileLeavesRoomThatAnAppendWasGiven) {
  TestCluster cluster;
  const auto a = cluster.client();
  const auto b = cluster.client();
  const auto first = open_with(*a, "x", "commit");
  const auto second = open_with(*b, "x", "commit");
  ASSERT_EQ(first->append(bytes_of("first")).error, 0);  // not published yet
  ASSERT_EQ(second->grow(2), 0);
  std::uint64_t where = 0;
  ASSERT_EQ(second->append(bytes_of("second"), &where).error, 0);
  EXPECT_EQ(where, 5u);
}

TEST(Cluster, OpeningAFileToTruncateItDropsOwnBytesThatWereNotPublished) {
  TestCluster cluster;
  const auto system = cluster.client();
  for (const char* const model : {"posix", "posix-lock", "commit", "session", "eventual", "none"}) {
    SCOPED_TRACE(model);
    const auto first = open_with(*system, model, model);
    EXPECT_EQ(write_text(*first, "of before", 0), 0);
    const auto second = open_with(*system, model, model, O_RDWR | O_TRUNC);
    EXPECT_EQ(read_text_at(*second, 99, 0), "");
    EXPECT_EQ(read_text_at(*first, 99, 0), "");
    EXPECT_EQ(write_text(*second, "new", 0), 0);
    EXPECT_EQ(read_text_at(*first, 99, 0), "new");
    EXPECT_EQ(first->close(), 0);
    EXPECT_EQ(second->close(), 0);
    if (std::string_view(model) != "none") {
      EXPECT_EQ(read_text_at(*open_with(*system, model, model), 99, 0), "new");
    }
  }
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
