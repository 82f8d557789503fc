#include "launch/guardian.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scratch_dir.hpp"

namespace weir::launch {
namespace {

namespace fs = std::filesystem;

bool appears(const fs::path& file) {
  for (int i = 0; i < 500 && !fs::exists(file); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return fs::exists(file);
}

// A process that starts a guardian and a child of its own, and then does `end`.
void in_a_process(const fs::path& mark, void (*end)(Guardian&)) {
  const pid_t process = ::fork();
  if (process == 0) {
    auto guardian = Guardian::start([&mark] { std::ofstream(mark) << "tidied"; });
    if (::fork() == 0) {  // holds the guardian's pipe open
      ::sleep(2);
      ::_exit(0);
    }
    end(*guardian);
    ::_exit(0);
  }
  ::waitpid(process, nullptr, 0);
}

TEST(Guardian, TidiesUpAfterAKill) {
  const ScratchDir scratch;
  const fs::path mark = scratch.path() / "mark";
  in_a_process(mark, [](Guardian&) { ::raise(SIGKILL); });
  EXPECT_TRUE(appears(mark));
}

TEST(Guardian, DoesNothingOnceDismissed) {
  const ScratchDir scratch;
  const fs::path mark = scratch.path() / "mark";
  in_a_process(mark, [](Guardian& guardian) { guardian.dismiss(); });
  // dismiss() waited for the guardian's end: nothing can appear any more.
  EXPECT_FALSE(fs::exists(mark));
}

}  // namespace
}  // namespace weir::launch
