#include "semantics/order/nesting.hpp"

#include <gtest/gtest.h>

namespace weir::semantics {
namespace {

Nesting of(const std::vector<std::uint32_t>& depths) {
  Nesting nesting;
  for (std::size_t i = 0; i < depths.size(); ++i) nesting.add(i, depths[i]);
  nesting.finish();
  return nesting;
}

TEST(Nesting, ACallBeginsBeforeThoseInsideIt) {
  const Nesting nesting = of({0, 1, 1, 0, 0});
  EXPECT_EQ(nesting.start_of(0), 0U);
  EXPECT_EQ(nesting.start_of(1), 1U);
  EXPECT_EQ(nesting.start_of(2), 2U);
  EXPECT_EQ(nesting.start_of(3), 1U);
  EXPECT_EQ(nesting.start_of(4), 4U);
}

TEST(Nesting, GoesDeep) {
  const Nesting nesting = of({2, 1, 2, 2, 1, 0, 1, 0});
  EXPECT_EQ(nesting.start_of(1), 0U);
  EXPECT_EQ(nesting.start_of(4), 2U);
  EXPECT_EQ(nesting.start_of(5), 0U);
  EXPECT_EQ(nesting.start_of(7), 6U);
}

// A thread that was ended inside a call leaves nothing to the one that takes over its stream.
TEST(Nesting, EndsWithItsThread) {
  Nesting nesting;
  nesting.add(0, 1);
  nesting.change_thread();
  nesting.add(1, 0);
  EXPECT_EQ(nesting.start_of(1), 1U);
}

}  // namespace
}  // namespace weir::semantics
