#include "trace/rank_gaps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::trace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ProcessInfo rank_of(std::int64_t rank, std::int64_t size, bool finished = true) {
  ProcessInfo made;
  made.rank = rank;
  made.world_size = size;
  made.clock_at_init = 0;
  if (finished) made.clock_at_finalize = 0;
  return made;
}

TEST(RankGaps, NamesRanksThatAreNotThereAndThoseThatDidNotFinish) {
  const std::vector<ProcessInfo> processes = {rank_of(0, 6), rank_of(1, 6, false), rank_of(4, 6)};
  const RankGaps gaps = rank_gaps(processes);
  EXPECT_THAT(gaps.missing, ElementsAre(2, 3, 5));
  EXPECT_THAT(gaps.unfinished, ElementsAre(1));
}

TEST(RankGaps, ProcessesWithoutMpiLackNothing) {
  const std::vector<ProcessInfo> processes(3);
  EXPECT_THAT(rank_gaps(processes).missing, IsEmpty());
  EXPECT_THAT(rank_gaps(processes).unfinished, IsEmpty());
}

TEST(RankGaps, ASpawnedWorldIsLookedAtForItself) {
  const std::vector<ProcessInfo> processes = {rank_of(0, 1), rank_of(0, 3), rank_of(2, 3)};
  EXPECT_THAT(rank_gaps(processes).missing, ElementsAre(1));
}

TEST(RankGaps, RunsOfRanksAreWrittenShort) {
  const std::vector<std::int64_t> ranks = {0, 2, 3, 5, 6, 7, 8, 20};
  EXPECT_EQ(list_of_ranks(ranks), "0, 2, 3, 5-8, 20");
  EXPECT_EQ(list_of_ranks({}), "");
}

}  // namespace
}  // namespace weir::trace
