#include "base/rank_launcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RankLauncher, WordsAreWhatStandsBetweenSpaces) {
  EXPECT_THAT(split_words("srun  -N 2 "), ElementsAre("srun", "-N", "2"));
  EXPECT_THAT(split_words("  "), IsEmpty());
}

TEST(RankLauncher, TheNumberTakesItsPlaceOrComesLast) {
  EXPECT_THAT(start_ranks({"srun", "-n{}", "-l"}, 8), ElementsAre("srun", "-n8", "-l"));
  EXPECT_THAT(start_ranks({"mpirun"}, 4), ElementsAre("mpirun", "-n", "4"));
}

}  // namespace
}  // namespace weir
