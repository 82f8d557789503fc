#include <csignal>

#include <gtest/gtest.h>

#include "launch/preload.hpp"

namespace weir::launch {
namespace {

TEST(RunProgram, AnInterruptIsNotedAndTheProgramDecides) {
  const auto quiet = run_program({"sh", "-c", "exit 3"}, {});
  ASSERT_TRUE(quiet);
  EXPECT_EQ(*quiet, 3);
  EXPECT_FALSE(interrupted_meanwhile());
  // To this process alone, as it meets a program that has not begun or has ended.
  const auto passed = run_program({"sh", "-c", "kill -INT $PPID"}, {});
  ASSERT_TRUE(passed);
  EXPECT_EQ(*passed, 0);
  EXPECT_TRUE(interrupted_meanwhile());
  const auto ended = run_program({"sh", "-c", "kill -INT $$"}, {});
  ASSERT_TRUE(ended);
  EXPECT_EQ(*ended, 128 + SIGINT);
  EXPECT_FALSE(interrupted_meanwhile()) << "of the last program";
}

}  // namespace
}  // namespace weir::launch
