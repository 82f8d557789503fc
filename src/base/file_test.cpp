#include "base/file.hpp"

#include <csignal>
#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/scratch_dir.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(ReplaceFile, PutsTheWholeContentInPlace) {
  const ScratchDir dir;
  const fs::path path = dir.path() / "result.json";
  ASSERT_TRUE(replace_file(path, as_bytes("old")));
  ASSERT_TRUE(replace_file(path, as_bytes("the new content")));
  EXPECT_EQ(*read_text(path), "the new content");
  EXPECT_EQ(entries(dir.path()), 1u);
}

TEST(ReplaceFile, WithoutCommitTheOldFileStays) {
  const ScratchDir dir;
  const fs::path path = dir.path() / "result.json";
  ASSERT_TRUE(replace_file(path, as_bytes("old")));
  {
    auto file = AtomicFile::create(path);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write(as_bytes("half of the n")));
  }
  EXPECT_EQ(*read_text(path), "old");
  EXPECT_EQ(entries(dir.path()), 1u);
}

TEST(ReplaceFile, AFullDiskLeavesTheOldFileAndNothingElse) {
  const ScratchDir dir;
  const fs::path path = dir.path() / "result.json";
  ASSERT_TRUE(replace_file(path, as_bytes("old")));
  // A size limit stands in for a full disk: write() fails in the same place, with EFBIG.
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  struct rlimit small = before;
  small.rlim_cur = 100;
  std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto replaced = replace_file(path, as_bytes(std::string(1000, 'x')));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_DFL);
  ASSERT_FALSE(replaced);
  EXPECT_NE(replaced.error().text().find("result.json: cannot write"), std::string::npos);
  EXPECT_EQ(*read_text(path), "old");
  EXPECT_EQ(entries(dir.path()), 1u);
}

TEST(ReplaceFile, KeepsTheModeAndFollowsALink) {
  const ScratchDir dir;
  const fs::path path = dir.path() / "secret";
  ASSERT_TRUE(replace_file(path, as_bytes("old"), 0600));
  fs::create_symlink(path, dir.path() / "link");
  ASSERT_TRUE(replace_file(dir.path() / "link", as_bytes("new")));
  EXPECT_TRUE(fs::is_symlink(dir.path() / "link"));
  EXPECT_EQ(*read_text(path), "new");
  struct stat facts {};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0600u);
}

TEST(ReplaceFile, BadTargetsSayWhy) {
  const ScratchDir dir;
  EXPECT_NE(replace_file(dir.path(), as_bytes("x")).error().text().find("is a directory"), std::string::npos);
  EXPECT_NE(
      replace_file(dir.path() / "no" / "file", as_bytes("x")).error().text().find("directory does not exist"),
      std::string::npos);
}

TEST(ReadText, AMissingFileNamesItsNearestNeighbour) {
  const ScratchDir dir;
  std::ofstream(dir.path() / "runs.csv") << "1\n";
  const auto missing = read_text(dir.path() / "run.csv");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), Errc::not_found);
  EXPECT_EQ(missing.error().text(),
            fmt::format("{0}/run.csv: no such file; did you mean {0}/runs.csv", dir.path().string()));
}

TEST(ReadText, ADirectoryIsUnreadable) {
  const ScratchDir dir;
  const auto read = read_text(dir.path());
  ASSERT_FALSE(read);
  EXPECT_EQ(exit_code(read.error().code()), 2);
}

TEST(ReadText, MoreThanTheLimitIsAnError) {
  const ScratchDir dir;
  std::ofstream(dir.path() / "big") << std::string(100, 'x');
  EXPECT_EQ(read_text(dir.path() / "big", 99).error().code(), Errc::too_big);
  EXPECT_TRUE(read_text(dir.path() / "big", 100));
}

TEST(ReadText, ReadsFilesWithoutASize) { EXPECT_FALSE(read_text("/proc/self/status")->empty()); }

TEST(UniqueFd, HasOneOwner) {
  UniqueFd first(::open("/dev/null", O_RDONLY));
  const int number = first.get();
  UniqueFd second = std::move(first);
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): a moved-from UniqueFd is empty by contract
  EXPECT_EQ(second.get(), number);
  second.reset();
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
}

}  // namespace
}  // namespace weir
