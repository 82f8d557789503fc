// The C interface, as a program has it: connected by a job file.
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <tuple>

#include "burst/test_cluster.hpp"
#include "burst/this_node.hpp"
#include "weir/burst.h"

namespace weir::burst {
namespace {

constexpr off_t kBlock = lock::kBlockSize;
constexpr off_t kLongest = std::numeric_limits<off_t>::max();

struct Disconnect {
  void operator()(weir_fs* fs) const { EXPECT_EQ(weir_fs_disconnect(fs), 0); }
};
using Connection = std::unique_ptr<weir_fs, Disconnect>;

// What a call gave, and the errno if that is a failure.
int error_of(std::int64_t value) { return value == -1 ? errno : 0; }
int error_of(const void* made) { return made == nullptr ? errno : 0; }

std::string text_at(weir_file* file, std::size_t bytes, off_t offset) {
  std::string text(bytes, '?');
  const ssize_t got = weir_pread(file, text.data(), bytes, offset);
  if (got < 0) return "error " + std::to_string(errno);
  text.resize(static_cast<std::size_t>(got));
  return text;
}

// Client, node, begin and end of each.
using Row = std::tuple<std::uint64_t, std::uint32_t, std::uint64_t, std::uint64_t>;
std::vector<Row> rows_of(weir_interval* intervals, std::size_t count) {
  std::vector<Row> rows;
  for (const weir_interval& one : std::span(intervals, count))
    rows.emplace_back(one.client, one.node, one.begin, one.end);
  std::free(intervals);
  return rows;
}

class CInterface : public testing::Test {
 protected:
  CInterface() {
    cluster_.job().limit_ms = 1000;  // of those who wait for a lock
    EXPECT_TRUE(cluster_.job().write(job_file_));
  }
  ~CInterface() override { ::unsetenv(kServerVariable); }

  Connection connect(std::uint32_t node) {
    ::setenv(kServerVariable, std::to_string(node).c_str(), 1);
    Connection fs(weir_fs_connect(job_file_.c_str()));
    EXPECT_NE(fs, nullptr) << errno;
    return fs;
  }
  static weir_file* open(const Connection& fs, const char* path, const char* model,
                         int flags = O_RDWR | O_CREAT) {
    weir_file* const file = weir_open(fs.get(), path, flags, 0640, model);
    EXPECT_NE(file, nullptr) << path << ": " << errno;
    return file;
  }
  static void write(weir_file* file, std::string_view text, off_t offset) {
    EXPECT_EQ(weir_pwrite(file, text.data(), text.size(), offset), static_cast<ssize_t>(text.size()));
  }

  TestCluster cluster_{3};
  std::filesystem::path job_file_ = cluster_.backing().parent_path() / "job.json";
};

TEST_F(CInterface, ReadsAndWritesMoveThePosition) {
  const auto fs = connect(0);
  weir_file* const file = open(fs, "f", "session");
  EXPECT_EQ(weir_tell(file), 0);
  EXPECT_EQ(weir_write(file, "hello world", 11), 11);
  EXPECT_EQ(weir_tell(file), 11);
  EXPECT_EQ(weir_seek(file, 6, SEEK_SET), 6);
  std::array<char, 32> got{};
  EXPECT_EQ(weir_read(file, got.data(), 3), 3);
  EXPECT_STREQ(got.data(), "wor");
  EXPECT_EQ(weir_tell(file), 9);
  EXPECT_EQ(weir_read(file, got.data(), got.size()), 2);  // up to the end
  EXPECT_EQ(weir_read(file, got.data(), got.size()), 0);
  EXPECT_EQ(weir_tell(file), 11);
  EXPECT_EQ(weir_seek(file, -5, SEEK_CUR), 6);
  EXPECT_EQ(weir_seek(file, -1, SEEK_END), 10);  // unpublished bytes count
  EXPECT_EQ(weir_pread(file, got.data(), 1, 0), 1);
  EXPECT_EQ(weir_tell(file), 10);  // pread and pwrite leave it
  EXPECT_EQ(weir_seek(file, 4, SEEK_END), 15);
  EXPECT_EQ(weir_write(file, "!", 1), 1);
  EXPECT_EQ(text_at(file, 32, 0), std::string("hello world\0\0\0\0!", 16));
  EXPECT_EQ(weir_close(file), 0);

  weir_file* const log = open(fs, "f", "session", O_RDWR | O_APPEND);
  EXPECT_EQ(weir_seek(log, 2, SEEK_SET), 2);
  EXPECT_EQ(weir_write(log, "end", 3), 3);
  EXPECT_EQ(weir_tell(log), 19);
  EXPECT_EQ(text_at(log, 9, 15), "!end");
}

TEST_F(CInterface, StatTellsWhatThisProcessAndTheOwnerKnow) {
  const auto fs = connect(0);
  const auto other = connect(1);
  weir_file* const file = open(fs, "f", "session");
  write(file, "12345", 3);
  struct stat status {};
  EXPECT_EQ(weir_stat(fs.get(), "f", &status), 0);
  EXPECT_EQ(status.st_size, 8);
  EXPECT_TRUE(S_ISREG(status.st_mode));
  EXPECT_EQ(status.st_mode & 07777u, 0640u);
  EXPECT_EQ(weir_fstat(file, &status), 0);
  EXPECT_EQ(status.st_size, 8);
  EXPECT_EQ(weir_stat(other.get(), "f", &status), 0);
  EXPECT_EQ(status.st_size, 0);  // not published
  EXPECT_EQ(weir_close(file), 0);
  EXPECT_EQ(weir_stat(other.get(), (cluster_.job().mount / "f").c_str(), &status), 0);
  EXPECT_EQ(status.st_size, 8);
  EXPECT_EQ(weir_rename(other.get(), "f", "g"), 0);
  EXPECT_EQ(error_of(weir_stat(fs.get(), "f", &status)), ENOENT);
  EXPECT_EQ(weir_stat(fs.get(), "g", &status), 0);
  EXPECT_EQ(weir_unlink(fs.get(), "g"), 0);
  EXPECT_EQ(error_of(weir_stat(other.get(), "g", &status)), ENOENT);
  EXPECT_EQ(error_of(weir_stat(fs.get(), "/etc/passwd", &status)), EXDEV);
}

TEST_F(CInterface, APeersBytesAreReadOnOneNodeAndOnTwo) {
  const auto writer = connect(0);
  weir_file* const file = open(writer, "f", "none");
  write(file, "0123456789", 0);
  EXPECT_EQ(weir_attach(file, 2, 6), 0);
  const std::uint64_t client = weir_fs_client(writer.get());
  for (const std::uint32_t node : {0U, 1U}) {
    const auto reader = connect(node);
    weir_file* const there = open(reader, "f", "none");
    std::string got(6, '?');
    EXPECT_EQ(weir_read_peer(there, client, got.data(), 6, 2), 6);
    EXPECT_EQ(got, "234567");
    EXPECT_EQ(error_of(weir_read_peer(there, client, got.data(), 6, 3)), ENODATA);  // some are not published
    EXPECT_EQ(error_of(weir_read_peer(there, weir_fs_client(reader.get()), got.data(), 6, 2)), ENODATA);
    EXPECT_EQ(error_of(weir_read_peer(there, 0, got.data(), 6, 2)), ENODATA);
    EXPECT_EQ(weir_read_peer(there, client, got.data(), 0, 2), 0);
    EXPECT_EQ(error_of(weir_read_peer(there, client, got.data(), 6, -1)), EINVAL);
    EXPECT_EQ(text_at(there, 10, 0), std::string(8, '\0'));  // it is no query
  }
  // Published over by another: no longer the peer's.
  const auto over = connect(1);
  weir_file* const again = open(over, "f", "none");
  write(again, "X", 4);
  EXPECT_EQ(weir_attach_file(again), 0);
  std::string got(2, '?');
  EXPECT_EQ(error_of(weir_read_peer(again, client, got.data(), 2, 3)), ENODATA);
  EXPECT_EQ(weir_read_peer(again, client, got.data(), 2, 2), 2);
  EXPECT_EQ(got, "23");
  const auto system = cluster_.client();
  EXPECT_EQ(counter_of(*system, "bytes.peer_read"), 6U + 2U);  // those of the other node
}

TEST_F(CInterface, RangesAreAttachedAndQueried) {
  const auto one = connect(0);
  const auto two = connect(1);
  weir_file* const a = open(one, "f", "none");
  weir_file* const b = open(two, "f", "none");
  write(a, "aaaaaaaaaa", 0);
  write(b, "bbb", 20);
  EXPECT_EQ(weir_attach(a, 2, 3), 0);
  EXPECT_EQ(weir_attach(a, 7, 1000), 0);  // as far as there is something
  EXPECT_EQ(weir_attach(a, 0, 0), 0);
  EXPECT_EQ(weir_attach(b, 100, 5), 0);
  EXPECT_EQ(weir_attach_file(b), 0);

  const auto reader = connect(1);
  weir_file* const file = open(reader, "f", "none");
  weir_interval* intervals = nullptr;
  std::size_t count = 99;
  const std::uint64_t of_a = weir_fs_client(one.get());
  const std::uint64_t of_b = weir_fs_client(two.get());
  EXPECT_EQ(weir_query(file, 3, 18, &intervals, &count), 0);
  EXPECT_EQ(rows_of(intervals, count),
            (std::vector<Row>{{of_a, 0, 3, 5}, {of_a, 0, 7, 10}, {of_b, 1, 20, 21}}));
  // Nothing else than what was asked for is seen.
  EXPECT_EQ(text_at(file, 30, 0), std::string("\0\0\0aa\0\0aaa\0\0\0\0\0\0\0\0\0\0b\0\0", 23));
  EXPECT_EQ(weir_query_file(file, &intervals, &count), 0);
  EXPECT_EQ(rows_of(intervals, count),
            (std::vector<Row>{{of_a, 0, 2, 5}, {of_a, 0, 7, 10}, {of_b, 1, 20, 23}}));
  EXPECT_EQ(text_at(file, 30, 0), std::string("\0\0aaa\0\0aaa\0\0\0\0\0\0\0\0\0\0bbb", 23));

  EXPECT_EQ(weir_query(file, 10, 10, &intervals, &count), 0);
  EXPECT_EQ(intervals, nullptr);
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(weir_query(file, 0, 0, &intervals, &count), 0);
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(weir_query(file, 0, std::numeric_limits<std::size_t>::max(), nullptr, &count), 0);
  EXPECT_EQ(count, 3U);
  EXPECT_EQ(weir_query(file, kLongest, 1, nullptr, &count), 0);
  EXPECT_EQ(count, 0U);
}

TEST_F(CInterface, PublicationsAreTakenBack) {
  const auto one = connect(0);
  const auto two = connect(1);
  const auto seen = [&](const char* path) {
    weir_file* const file = open(two, path, "commit");
    std::string text = text_at(file, 99, 0);
    EXPECT_EQ(weir_close(file), 0);
    std::ranges::replace(text, '\0', '.');
    return text;
  };
  const auto own = [&](weir_file* file) {
    std::string text = text_at(file, 99, 0);
    std::ranges::replace(text, '\0', '.');
    return text;
  };
  weir_file* const other = open(two, "f", "none");
  write(other, "oo", 10);
  EXPECT_EQ(weir_attach_file(other), 0);
  weir_file* const file = open(one, "f", "none");
  write(file, "0123456789", 0);
  EXPECT_EQ(weir_attach_file(file), 0);
  EXPECT_EQ(seen("f"), "0123456789oo");
  EXPECT_EQ(weir_detach(file, 2, 3), 0);
  EXPECT_EQ(seen("f"), "01...56789oo");
  EXPECT_EQ(own(file).substr(0, 10), "01...56789");
  EXPECT_EQ(weir_detach(file, 0, 0), 0);
  EXPECT_EQ(seen("f"), "01...56789oo");
  EXPECT_EQ(weir_detach_file(file), 0);
  EXPECT_EQ(seen("f"), "..........oo");  // others' stay
  EXPECT_EQ(own(file).find_first_not_of('.'), std::string::npos);

  std::array<weir_file*, 4> files{};
  for (std::size_t i = 0; i < files.size(); ++i) {
    files.at(i) = open(one, ("g" + std::to_string(i)).c_str(), "none");
    write(files.at(i), "gone", 0);
    EXPECT_EQ(weir_attach_file(files.at(i)), 0);
    write(files.at(i), "own", 4);  // not published: nothing to take back
  }
  EXPECT_EQ(seen("g3"), "gone");
  EXPECT_EQ(weir_detach_client(one.get()), 0);
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(seen(("g" + std::to_string(i)).c_str()), "....") << i;
    EXPECT_EQ(own(files.at(i)), "....own") << i;
  }
  EXPECT_EQ(seen("f"), "..........oo");
}

TEST_F(CInterface, WhatWasFlushedBeforeItWasTakenBackIsReadFromTheBackingDirectory) {
  const auto fs = connect(0);
  weir_file* const file = open(fs, "f", "none");
  write(file, "kept", 0);
  EXPECT_EQ(weir_flush(file), 0);
  write(file, "gone", 0);
  EXPECT_EQ(weir_attach_file(file), 0);
  EXPECT_EQ(weir_detach_file(file), 0);
  EXPECT_EQ(weir_query_file(file, nullptr, nullptr), 0);
  EXPECT_EQ(text_at(file, 9, 0), "kept");
}

TEST_F(CInterface, WritesUnderTokensAreTakenBackForAll) {
  const auto one = connect(0);
  const auto two = connect(1);
  weir_file* const a = open(one, "f", "posix-lock");
  weir_file* const b = open(two, "f", "posix-lock");
  write(a, "0123", 0);
  EXPECT_EQ(text_at(b, 9, 0), "0123");
  EXPECT_EQ(weir_detach(a, 1, 2), 0);
  EXPECT_EQ(text_at(a, 9, 0), std::string("0\0\0"
                                          "3",
                                          4));
  EXPECT_EQ(text_at(b, 9, 0), std::string("0\0\0"
                                          "3",
                                          4));
  write(a, "4567", 0);
  EXPECT_EQ(weir_detach_file(a), 0);  // the owner has not even heard of them
  EXPECT_EQ(text_at(a, 9, 0), std::string(4, '\0'));
  EXPECT_EQ(text_at(b, 9, 0), std::string(4, '\0'));
  write(a, "89", 0);
  EXPECT_EQ(weir_detach_client(one.get()), 0);
  EXPECT_EQ(text_at(a, 9, 0), std::string(4, '\0'));
  EXPECT_EQ(text_at(b, 9, 0), std::string(4, '\0'));
}

TEST_F(CInterface, SharedLocksLetOthersReadAndKeepWritersOut) {
  for (const std::uint32_t node : {0U, 1U}) {
    const auto one = connect(0);
    const auto two = connect(node);
    const std::string name = "f" + std::to_string(node);
    weir_file* const a = open(one, name.c_str(), "posix-lock");
    weir_file* const b = open(two, name.c_str(), "posix-lock");
    write(a, "text", 0);
    EXPECT_EQ(weir_lock(a, 0, 10, WEIR_LOCK_SHARED), 0);
    EXPECT_EQ(weir_lock(b, 5, 10, WEIR_LOCK_SHARED), 0);  // the same block
    EXPECT_EQ(text_at(b, 4, 0), "text");
    EXPECT_EQ(error_of(weir_lock(b, 0, 1, WEIR_LOCK_EXCLUSIVE)), EIO);
    EXPECT_EQ(weir_release_file(a), 0);
    EXPECT_EQ(weir_release_file(b), 0);
    EXPECT_EQ(weir_lock(b, kBlock, 1, WEIR_LOCK_EXCLUSIVE), 0);
    EXPECT_EQ(error_of(weir_lock(a, kBlock, 1, WEIR_LOCK_SHARED)), EIO);
    EXPECT_EQ(weir_release_file(b), 0);
    EXPECT_EQ(weir_lock(a, 0, 0, WEIR_LOCK_EXCLUSIVE), 0);  // all of the file
    EXPECT_EQ(error_of(weir_lock(b, 1000 * kBlock, 1, WEIR_LOCK_SHARED)), EIO);
    EXPECT_EQ(weir_release_file(a), 0);
    EXPECT_EQ(weir_lock(b, 1000 * kBlock, 1, WEIR_LOCK_SHARED), 0);
  }
}

// A request for blocks that somebody holds keeps nobody from others, even when its client has given up.
TEST_F(CInterface, AFreeRangeIsLockedWhileTheNodeWaitsForAnother) {
  const auto one = connect(0);
  const auto two = connect(1);
  const auto three = connect(1);
  weir_file* const a = open(one, "f", "posix-lock");
  weir_file* const b = open(two, "f", "posix-lock");
  weir_file* const c = open(three, "f", "posix-lock");
  EXPECT_EQ(weir_lock(a, 0, 1, WEIR_LOCK_EXCLUSIVE), 0);
  EXPECT_EQ(error_of(weir_lock(b, 0, 1, WEIR_LOCK_EXCLUSIVE)), EIO);
  EXPECT_EQ(weir_lock(b, 7 * kBlock, 1, WEIR_LOCK_EXCLUSIVE), 0);
  write(c, "written", 9 * kBlock);
  // Nor does one that waits behind another that waits.
  const auto four = connect(2);
  weir_file* const d = open(four, "f", "posix-lock");
  EXPECT_EQ(error_of(weir_lock(d, 0, 1, WEIR_LOCK_EXCLUSIVE)), EIO);
  EXPECT_EQ(weir_lock(d, 70 * kBlock, 1, WEIR_LOCK_EXCLUSIVE), 0);
  EXPECT_EQ(weir_release_file(a), 0);
  EXPECT_EQ(weir_lock(b, 0, 1, WEIR_LOCK_EXCLUSIVE), 0);
}

TEST_F(CInterface, LocksAreReleasedByRangeByFileAndByClient) {
  const auto one = connect(0);
  const auto two = connect(1);
  const auto is_free = [&](weir_file* file, off_t block) {
    const int error = error_of(weir_lock(file, block * kBlock, 1, WEIR_LOCK_EXCLUSIVE));
    EXPECT_TRUE(error == 0 || error == EIO) << error;
    EXPECT_EQ(weir_release(file, block * kBlock, 1), 0);
    return error == 0;
  };
  weir_file* const a = open(one, "f", "none");
  weir_file* const g = open(one, "g", "none");
  weir_file* const b = open(two, "f", "none");
  weir_file* const h = open(two, "g", "none");
  for (const off_t block : {0, 1, 2}) EXPECT_EQ(weir_lock(a, block * kBlock, 1, WEIR_LOCK_EXCLUSIVE), 0);
  EXPECT_EQ(weir_lock(g, 0, 1, WEIR_LOCK_EXCLUSIVE), 0);
  EXPECT_EQ(weir_release(a, kBlock + 7, 1), 0);
  EXPECT_TRUE(is_free(b, 1));
  EXPECT_FALSE(is_free(b, 0));
  EXPECT_EQ(weir_release(a, 0, 0), 0);  // all that follow
  EXPECT_TRUE(is_free(b, 0));
  EXPECT_TRUE(is_free(b, 2));
  EXPECT_EQ(weir_lock(a, 0, 1, WEIR_LOCK_EXCLUSIVE), 0);
  EXPECT_EQ(weir_release_file(a), 0);
  EXPECT_TRUE(is_free(b, 0));
  EXPECT_FALSE(is_free(h, 0));  // of another file
  EXPECT_EQ(weir_lock(a, 0, 1, WEIR_LOCK_EXCLUSIVE), 0);
  EXPECT_EQ(weir_release_client(one.get()), 0);
  EXPECT_TRUE(is_free(b, 0));
  EXPECT_TRUE(is_free(h, 0));
  // With none at all it is fine.
  EXPECT_EQ(weir_release(a, 0, 1), 0);
  EXPECT_EQ(weir_release_file(a), 0);
  EXPECT_EQ(weir_release_client(one.get()), 0);
}

TEST_F(CInterface, WrongArgumentsAreRefused) {
  const auto fs = connect(0);
  EXPECT_EQ(error_of(weir_open(fs.get(), "f", O_RDWR | O_CREAT, 0600, "sometimes")), EINVAL);
  EXPECT_EQ(error_of(weir_open(fs.get(), "f", O_RDWR | O_CREAT, 0600, "")), EINVAL);
  EXPECT_EQ(error_of(weir_open(fs.get(), "f", O_RDWR, 0600, nullptr)), ENOENT);
  EXPECT_EQ(error_of(weir_open(fs.get(), "", O_RDWR | O_CREAT, 0600, nullptr)), EXDEV);
  weir_file* const file = open(fs, "f", nullptr);
  char byte = 'x';
  EXPECT_EQ(error_of(weir_pread(file, &byte, 1, -1)), EINVAL);
  EXPECT_EQ(error_of(weir_pwrite(file, &byte, 1, -1)), EINVAL);
  EXPECT_EQ(error_of(weir_pwrite(file, &byte, 1, kLongest)), EFBIG);
  EXPECT_EQ(error_of(weir_ftruncate(file, -1)), EINVAL);
  EXPECT_EQ(error_of(weir_seek(file, -1, SEEK_SET)), EINVAL);
  EXPECT_EQ(error_of(weir_seek(file, -1, SEEK_CUR)), EINVAL);
  EXPECT_EQ(error_of(weir_seek(file, 0, 77)), EINVAL);
  EXPECT_EQ(weir_seek(file, kLongest, SEEK_SET), kLongest);
  EXPECT_EQ(error_of(weir_seek(file, 1, SEEK_CUR)), EOVERFLOW);
  EXPECT_EQ(weir_tell(file), kLongest);  // where it was
  EXPECT_EQ(error_of(weir_write(file, &byte, 1)), EFBIG);
  EXPECT_EQ(weir_seek(file, 0, SEEK_SET), 0);
  EXPECT_EQ(error_of(weir_attach(file, -1, 1)), EINVAL);
  EXPECT_EQ(error_of(weir_query(file, -1, 1, nullptr, nullptr)), EINVAL);
  EXPECT_EQ(error_of(weir_detach(file, -1, 1)), EINVAL);
  EXPECT_EQ(error_of(weir_lock(file, -1, 1, WEIR_LOCK_SHARED)), EINVAL);
  EXPECT_EQ(error_of(weir_lock(file, 0, 1, 2)), EINVAL);
  EXPECT_EQ(error_of(weir_lock(file, 0, 1, -1)), EINVAL);
  EXPECT_EQ(error_of(weir_release(file, -1, 1)), EINVAL);
  EXPECT_EQ(weir_pwrite(file, &byte, 0, 5), 0);
  EXPECT_EQ(weir_pread(file, &byte, 0, 5), 0);
  EXPECT_EQ(weir_write(file, &byte, 0), 0);
  EXPECT_EQ(weir_read(file, &byte, 0), 0);
  EXPECT_EQ(weir_tell(file), 0);
  struct stat status {};
  EXPECT_EQ(weir_fstat(file, &status), 0);
  EXPECT_EQ(status.st_size, 0);

  weir_file* const to_read = open(fs, "f", nullptr, O_RDONLY);
  EXPECT_EQ(error_of(weir_write(to_read, &byte, 1)), EBADF);
  EXPECT_EQ(error_of(weir_pwrite(to_read, &byte, 1, 0)), EBADF);
  EXPECT_EQ(error_of(weir_ftruncate(to_read, 0)), EINVAL);
  weir_file* const to_write = open(fs, "f", nullptr, O_WRONLY);
  EXPECT_EQ(error_of(weir_read(to_write, &byte, 1)), EBADF);
  EXPECT_EQ(error_of(weir_pread(to_write, &byte, 1, 0)), EBADF);
}

TEST_F(CInterface, JobsThatAreNoneAreRefused) {
  ::setenv(kServerVariable, "0", 1);
  const auto connected_to = [&](const std::filesystem::path& job) {
    return error_of(weir_fs_connect(job.c_str()));
  };
  EXPECT_EQ(connected_to(job_file_.parent_path() / "none.json"), ENOENT);
  const auto other = job_file_.parent_path() / "other.json";
  std::ofstream(other) << "{}";
  EXPECT_EQ(connected_to(other), EACCES);  // others may read it
  std::filesystem::permissions(other, std::filesystem::perms::owner_all);
  EXPECT_EQ(connected_to(other), EINVAL);
  ::unsetenv(kJobVariable);
  EXPECT_EQ(error_of(weir_fs_connect(nullptr)), ENOENT);
  ::setenv(kJobVariable, job_file_.c_str(), 1);
  EXPECT_NE(Connection(weir_fs_connect(nullptr)), nullptr);
  ::unsetenv(kJobVariable);
  ::setenv(kServerVariable, "3", 1);
  EXPECT_EQ(connected_to(job_file_), EACCES);  // it has servers 0 to 2
  ::setenv(kServerVariable, "0", 1);
  cluster_.job().secret = transport::Secret::make();
  ASSERT_TRUE(cluster_.job().write(job_file_));
  EXPECT_NE(connected_to(job_file_), 0);
}

}  // namespace
}  // namespace weir::burst
