#include "launch/process.hpp"

#include <gtest/gtest.h>

namespace weir::launch {
namespace {

TEST(RunAndCapture, GivesOutputAndStatus) {
  const auto ran = run_and_capture({"sh", "-c", "echo out; echo err >&2; exit 3"});
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->status, 3);
  EXPECT_EQ(ran->output, "out\nerr\n");
}

TEST(RunAndCapture, AProgramThatIsNotThereIsAnError) {
  const auto ran = run_and_capture({"no-such-program-anywhere"});
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().text(), "no-such-program-anywhere: cannot start: No such file or directory");
}

TEST(RunAndCapture, ASignalCountsAsShellsCount) {
  EXPECT_EQ(run_and_capture({"sh", "-c", "kill -9 $$"})->status, 137);
}

TEST(RunAndCapture, AHangingProgramIsEndedWithItsChildren) {
  const auto ran = run_and_capture({"sh", "-c", "sleep 60 & sleep 60"}, Nanoseconds(200'000'000));
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().text(), "sh: no end after 200 ms");
}

TEST(RunAndCapture, EndlessOutputIsCutOff) { EXPECT_FALSE(run_and_capture({"yes"})); }

TEST(FindProgram, LooksAsTheShellDoes) {
  EXPECT_TRUE(find_program("sh"));
  EXPECT_FALSE(find_program("no-such-program-anywhere"));
}

}  // namespace
}  // namespace weir::launch
