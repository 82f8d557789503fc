#include <cerrno>
#include <cstdlib>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monitor/fake_system_test.hpp"
#include "monitor/watch.hpp"

namespace weir::monitor {
namespace {

using ::testing::HasSubstr;

std::string io(int read, int written, int cancelled) {
  return "rchar: 1\nwchar: 1\nsyscr: 1\nsyscw: 1\nread_bytes: " + std::to_string(read) +
         "\nwrite_bytes: " + std::to_string(written) +
         "\ncancelled_write_bytes: " + std::to_string(cancelled) + "\n";
}

TEST(OwnTraffic, IsThisProcessWithItsLivingChildren) {
  const test::FakeSystem system;
  system.write("proc/self/io", io(1, 100, 30));
  system.write("proc/self/task/5/children", "17 18 ");
  system.write("proc/17/io", io(10, 1000, 0));
  system.write("proc/17/task/17/children", "19");
  system.write("proc/19/io", io(100, 10000, 20000));
  const auto traffic = own_traffic(system.root());
  ASSERT_TRUE(traffic.has_value()) << traffic.error().text();
  EXPECT_EQ(traffic->read, Bytes(111));
  EXPECT_EQ(traffic->written, Bytes(1070));
}

TEST(OwnTraffic, DifferencesAreNeverNegative) {
  const Traffic before{.read = Bytes(10), .written = Bytes(100)},
      after{.read = Bytes(30), .written = Bytes(60)};
  EXPECT_EQ(after.since(before).read, Bytes(20));
  EXPECT_EQ(after.since(before).written, Bytes(0)) << "what was written before the run was cut off in it";
}

TEST(OwnTraffic, ADamagedOrMissingFileIsAnError) {
  const test::FakeSystem system;
  EXPECT_THAT(own_traffic(system.root()).error().text(), HasSubstr("proc/self/io"));
  system.write("proc/self/io", "read_bytes: x\n");
  EXPECT_THAT(own_traffic(system.root()).error().text(), HasSubstr("no read_bytes"));
}

TEST(OwnTraffic, CountsWhatThisProgramAndItsChildWrite) {
  const auto before = own_traffic();
  if (!before) GTEST_SKIP() << before.error().text();
  const ScratchDir scratch;
  struct statfs facts {};
  ASSERT_EQ(::statfs(scratch.path().c_str(), &facts), 0);
  constexpr long kTmpfs = 0x01021994;
  if (facts.f_type == kTmpfs) GTEST_SKIP() << "temporary files are in memory here";
  const std::string file = scratch.path() / "file";
  const std::vector<char> data(1U << 20U, 'x');
  const auto write_there = [&] {
    const int fd = ::open(file.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || ::write(fd, data.data(), data.size()) != static_cast<ssize_t>(data.size()) ||
        ::fsync(fd) != 0)
      return false;
    return ::close(fd) == 0;
  };
  ASSERT_TRUE(write_there());
  const auto middle = own_traffic();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(write_there() ? 0 : 1);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  const auto after = own_traffic();
  ASSERT_TRUE(middle && after);
  if (middle->since(*before).written == Bytes(0)) GTEST_SKIP() << "this file system's writes are not counted";
  EXPECT_GE(middle->since(*before).written, Bytes(data.size()));
  EXPECT_GE(after->since(*middle).written, Bytes(data.size()));
}

}  // namespace
}  // namespace weir::monitor
