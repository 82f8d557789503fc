#include <csignal>

#include <gtest/gtest.h>

#include "launch/preload.hpp"

namespace weir::launch {
namespace {

TEST(RunProgram, AnInterruptIsNotedAndTheProgramDecides) {
  std::signal(SIGINT, SIG_DFL);  // in the background of a script it is ignored
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

TEST(RunProgram, WhatThisProcessIgnoresTheProgramIgnores) {
  const std::vector<std::string> hang_up = {"sh", "-c", "kill -HUP $$; kill -HUP $PPID; exit 5"};
  std::signal(SIGHUP, SIG_IGN);
  const auto ignored = run_program(hang_up, {});
  ASSERT_TRUE(ignored);
  EXPECT_EQ(*ignored, 5);
  std::signal(SIGHUP, SIG_DFL);
  const auto heard = run_program(hang_up, {});
  ASSERT_TRUE(heard);
  EXPECT_EQ(*heard, 128 + SIGHUP);
}

}  // namespace
}  // namespace weir::launch
