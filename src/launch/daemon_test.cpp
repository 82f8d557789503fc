#include "launch/daemon.hpp"

#include <chrono>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/scratch_dir.hpp"

namespace weir::launch {
namespace {

class DaemonTest : public ::testing::Test {
 protected:
  // Its output, once it has ended.
  std::string run(const std::string& script, pid_t* process = nullptr) {
    const auto started = start_daemon({"sh", "-c", script}, log_);
    EXPECT_TRUE(started);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (started && !has_ended(*started) && std::chrono::steady_clock::now() < deadline) ::sched_yield();
    if (process != nullptr) *process = started.value_or(0);
    return read_text(log_).value_or("");
  }

  ScratchDir folder_;
  const std::filesystem::path log_ = folder_.path() / "log";
};

TEST_F(DaemonTest, TellsWhoItIs) {
  pid_t process = 0;
  const std::string said = run("echo $$", &process);
  EXPECT_EQ(said, std::to_string(process) + "\n");
}

TEST_F(DaemonTest, LeadsALifeOfItsOwn) { EXPECT_EQ(run("pwd; cat; echo to errors >&2"), "/\nto errors\n"); }

// A lock that a script holds ends with the script, not with the servers that it has started.
TEST_F(DaemonTest, KeepsNoFileOpenThatItsStarterHas) {
  const int open = ::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_GT(open, 2);
  EXPECT_EQ(run("ls /proc/$$/fd; :"), "0\n1\n2\n");
  EXPECT_EQ(::fcntl(open, F_GETFD), 0);
  ::close(open);
}

TEST_F(DaemonTest, AProgramThatIsNotThereIsAnError) {
  const auto started = start_daemon({folder_.path() / "none"}, log_);
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().text().find("none"), std::string::npos);
}

}  // namespace
}  // namespace weir::launch
