#include "campaign/schedule.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace weir::campaign {
namespace {

TEST(Schedule, ARoundIsAPermutationThatTheSeedDecides) {
  const auto order = order_of_round(100, 7, 3);
  std::vector<std::uint32_t> sorted = order;
  std::ranges::sort(sorted);
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(sorted[i], i);
  EXPECT_EQ(order, order_of_round(100, 7, 3));
  EXPECT_NE(order, order_of_round(100, 7, 4));
  EXPECT_NE(order, order_of_round(100, 8, 3));
}

// Each configuration comes at each place about equally often: 24 expected, standard deviation 4.8.
TEST(Schedule, NoConfigurationHasAPlaceOfItsOwn) {
  std::vector<std::vector<int>> counts(25, std::vector<int>(25));
  for (std::uint32_t round = 0; round < 600; ++round) {
    const auto order = order_of_round(25, 1, round);
    for (std::size_t place = 0; place < 25; ++place) ++counts[place][order[place]];
  }
  for (const auto& places : counts)
    for (const int count : places) {
      EXPECT_GT(count, 2);
      EXPECT_LT(count, 50);
    }
}

}  // namespace
}  // namespace weir::campaign
