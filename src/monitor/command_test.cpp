#include "monitor/detail/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::monitor::detail {
namespace {

using ::testing::HasSubstr;

constexpr Nanoseconds kLong{20'000'000'000};
constexpr Nanoseconds kShort{50'000'000};

Result<std::string> shell(const std::string& script, Nanoseconds time = kLong,
                          std::size_t limit = 1U << 20U) {
  return run_command({.arguments = {"sh", "-c", script}, .input = "from here\n"}, time, limit);
}

TEST(Command, GivesWhatItPrints) {
  const auto text = shell("cat; echo two; echo three >&2");
  ASSERT_TRUE(text.has_value()) << text.error().text();
  EXPECT_EQ(*text, "from here\ntwo\n");
}

TEST(Command, FailuresSayWhatHappened) {
  EXPECT_THAT(shell("exit 3").error().text(), HasSubstr("sh: exit status 3"));
  EXPECT_THAT(shell("kill -9 $$").error().text(), HasSubstr("killed by signal 9"));
  const auto missing = run_command({.arguments = {"weir-has-no-such-program"}, .input = {}}, kLong);
  EXPECT_THAT(missing.error().text(), HasSubstr("weir-has-no-such-program: cannot be started"));
}

TEST(Command, OneThatDoesNotEndIsKilled) {
  EXPECT_THAT(shell("sleep 1000", kShort).error().text(), HasSubstr("not done in"));
  EXPECT_THAT(shell("exec >&-; sleep 1000", kShort).error().text(), HasSubstr("not done in"));
  EXPECT_THAT(shell("sleep 1000 & echo started", kShort).error().text(), HasSubstr("not done in"))
      << "with what it started";
}

TEST(Command, EndlessOutputIsCut) {
  EXPECT_THAT(shell("yes", kLong, 100'000).error().text(), HasSubstr("more than 100000 bytes"));
}

}  // namespace
}  // namespace weir::monitor::detail
