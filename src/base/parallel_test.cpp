#include "base/parallel.hpp"

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(ParallelFor, VisitsEveryIndexOnce) {
  for (const unsigned threads : {0u, 1u, 2u, 7u}) {
    std::vector<int> visits(1000);
    parallel_for(
        visits.size(), [&](std::size_t i) { ++visits[i]; }, threads);
    EXPECT_EQ(std::accumulate(visits.begin(), visits.end(), 0), 1000);
    EXPECT_EQ(visits, std::vector<int>(1000, 1));
  }
}

TEST(ParallelFor, NothingToDoIsFine) {
  parallel_for(0, [](std::size_t) { FAIL(); });
}

TEST(ParallelFor, AnExceptionComesOutAndEndsTheLoop) {
  std::atomic<int> calls = 0;
  EXPECT_THROW(parallel_for(
                   1000000,
                   [&](std::size_t i) {
                     ++calls;
                     if (i == 10) throw std::runtime_error("stop");
                   },
                   2),
               std::runtime_error);
  EXPECT_LT(calls, 1000000);
}

}  // namespace
}  // namespace weir
