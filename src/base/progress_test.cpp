#include "base/progress.hpp"

#include <gtest/gtest.h>

#include "base/parallel.hpp"
#include "base/terminal.hpp"

namespace weir {
namespace {

TEST(Progress, EstimatesWhatIsLeft) {
  EXPECT_EQ(Progress::line("fitting", 25, 100, Nanoseconds(10'000'000'000), 60),
            "fitting  ━━━━━───────────────  25 of 100   25 %  30.0 s left");
}

TEST(Progress, SaysNothingAboutTheFutureBeforeTheFirstStep) {
  const std::string line = Progress::line("fitting", 0, 10, Nanoseconds(5'000'000'000), 60);
  EXPECT_NE(line.find("? left"), std::string::npos);
}

TEST(Progress, FitsAnyTerminal) {
  for (std::size_t width = 1; width < 120; ++width)
    EXPECT_LE(display_width(Progress::line("fitting", 3, 10, Nanoseconds(1), width)), width);
}

TEST(Progress, IsSilentWithoutATerminal) {
  ::testing::internal::CaptureStderr();
  {
    Progress progress("working", 1000);
    parallel_for(
        1000, [&](std::size_t) { progress.advance(); }, 4);
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace weir
