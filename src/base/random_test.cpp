#include "base/random.hpp"

#include <array>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Random, SameSeedGivesTheSameNumbersForEver) {
  // First outputs of PCG64 (XSL-RR 128/64) with state 42 and stream 54, as printed by the check program
  // of the PCG C++ library (pcg-cpp test-high/expected/check-pcg64.out).
  Random random(42, 54);
  EXPECT_EQ(random(), 0x86b1da1d72062b68u);
  EXPECT_EQ(random(), 0x1304aa46c9853d39u);
  EXPECT_EQ(random(), 0xa3670e9e0dd50358u);
}

TEST(Random, StreamsOfOneSeedDiffer) {
  std::set<std::uint64_t> first;
  for (std::uint64_t stream = 0; stream < 1000; ++stream) first.insert(Random(7, stream)());
  EXPECT_EQ(first.size(), 1000u);
}

TEST(Random, UniformStaysInsideTheOpenInterval) {
  Random random(1);
  double sum = 0;
  for (int i = 0; i < 100000; ++i) {
    const double u = random.uniform();
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
  }
  EXPECT_NEAR(sum / 100000, 0.5, 5 * std::sqrt(1.0 / 12 / 100000));
}

TEST(Random, BelowCoversItsRangeEvenly) {
  Random random(3);
  std::array<int, 6> seen{};
  for (int i = 0; i < 60000; ++i) ++seen[random.below(6)];
  for (const int count : seen) EXPECT_NEAR(count, 10000, 5 * std::sqrt(10000.0));
}

TEST(Random, NormalAndExponentialHaveTheirMoments) {
  Random random(9);
  double sum = 0, squares = 0, waits = 0;
  constexpr int kCount = 200000;
  for (int i = 0; i < kCount; ++i) {
    const double z = random.normal();
    sum += z;
    squares += z * z;
    waits += random.exponential();
  }
  EXPECT_NEAR(sum / kCount, 0, 5 / std::sqrt(kCount));
  EXPECT_NEAR(squares / kCount, 1, 5 * std::sqrt(2.0 / kCount));
  EXPECT_NEAR(waits / kCount, 1, 5 / std::sqrt(kCount));
}

}  // namespace
}  // namespace weir
