#include "base/nearest.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Nearest, CountsEdits) {
  EXPECT_EQ(edit_distance("fit", "fit"), 0u);
  EXPECT_EQ(edit_distance("fti", "fit"), 1u);  // a swap is one slip of the fingers
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Nearest, NamesWhatWasMeant) {
  const std::vector<std::string> commands = {"fit", "plan", "doctor", "detect", "trace"};
  EXPECT_EQ(nearest("fti", commands), "fit");
  EXPECT_EQ(nearest("docter", commands), "doctor");
  EXPECT_EQ(nearest("trase", commands), "trace");
}

TEST(Nearest, IsSilentWhenNothingIsNear) {
  const std::vector<std::string> commands = {"fit", "plan"};
  EXPECT_EQ(nearest("xylophone", commands), std::nullopt);
  EXPECT_EQ(nearest("a", commands), std::nullopt);
  EXPECT_EQ(nearest("fit", {}), std::nullopt);
}

}  // namespace
}  // namespace weir
