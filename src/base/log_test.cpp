#include "base/log.hpp"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Log, OnlyWhatTheLevelAllowsReachesStderr) {
  set_log_name("weir test");
  ::testing::internal::CaptureStderr();
  set_log_level(LogLevel::warn);
  info("not told");
  warn("{} of {} skipped", 2, 8);
  set_log_level(LogLevel::debug);
  debug("told now");
  set_log_level(LogLevel::warn);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "weir test: warning: 2 of 8 skipped\nweir test: debug: told now\n");
}

TEST(Log, LevelsAreReadByName) {
  EXPECT_EQ(*parse_log_level("info"), LogLevel::info);
  EXPECT_EQ(parse_log_level("loud").error().text(),
            "'loud' is not a log level; use error, warn, info or debug");
}

}  // namespace
}  // namespace weir
