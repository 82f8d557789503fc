#include "stats/detail/em_pass.hpp"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "stats/detail/em_ladder.hpp"

namespace weir::stats::detail {
namespace {

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// The same input gives the same bytes whatever instructions the processor has: wide and portable passes agree
// to the bit in everything they return.
TEST(EmPass, WideInstructionsChangeNoBit) {
  Random random(7);
  std::vector<double> values;
  for (int i = 0; i < 997; ++i) values.push_back(std::exp(5 + 0.3 * random.normal()));
  for (int i = 0; i < 60; ++i) values.push_back(150);
  values.push_back(1e-3);
  values.push_back(1e6);
  const auto sample = PreparedSample::make(values);
  ASSERT_TRUE(sample);
  const Workbench bench(*sample, 5);
  for (const Family family : kMixtureFamilies) {
    for (int k = 1; k <= 5; ++k) {
      const State state = state_from_cuts(*sample, family, k == 1 ? Cuts{} : bench.plan().kmeans(k), 1e4);
      PassResult result[2], kept_result[2];
      MissingInformation missing[2];
      Responsibilities kept[2];
      for (const std::size_t wide : {0U, 1U}) {
        allow_wide_instructions(wide == 1);
        result[wide] = em_pass(*sample, family, state, missing[wide]);
        kept_result[wide] = em_pass(*sample, family, state, kept[wide]);
      }
      SCOPED_TRACE(name(family));
      EXPECT_TRUE(same_bits(result[0].log_likelihood, result[1].log_likelihood)) << k;
      EXPECT_TRUE(same_bits(kept_result[0].log_likelihood, result[0].log_likelihood)) << k;
      for (int j = 0; j < k; ++j) {
        const auto at = static_cast<std::size_t>(j);
        EXPECT_EQ(std::memcmp(&result[0].components[at], &result[1].components[at], sizeof(ComponentSums)),
                  0);
        const ComponentSums held = held_sums(*sample, family, kept[1], j, state);
        EXPECT_TRUE(same_bits(held.alpha, result[1].components[at].alpha)) << k;
        EXPECT_TRUE(same_bits(held.beta_beta, result[1].components[at].beta_beta)) << k;
      }
      for (std::size_t p = 0; p < 3 * static_cast<std::size_t>(k); ++p)
        for (std::size_t q = 0; q < 3 * static_cast<std::size_t>(k); ++q)
          EXPECT_TRUE(same_bits(missing[0][p][q], missing[1][p][q])) << k << ' ' << p << ' ' << q;
    }
  }
  allow_wide_instructions(true);
}

}  // namespace
}  // namespace weir::stats::detail
