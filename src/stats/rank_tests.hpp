#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/random.hpp"

namespace weir::stats {

enum class Better { higher, lower };

// Two samples compared by their ranks alone, with p-values from random relabelling: they hold exactly for any
// distribution and any sizes as long as runs are independent.
struct RankTests {
  // Any change of distribution: the two-sample Anderson-Darling statistic (Pettitt 1976), which sees changes
  // of level, spread and tails alike.
  double change_statistic = 0;
  double change_p = 1;
  // A change for the worse: the larger of two standardised rank sums, Wilcoxon's (most runs are somewhat
  // worse) and one with exponential scores towards the bad end (some runs are much worse; Savage 1956).
  double worse_statistic = 0;
  double worse_p = 1;
  double better_statistic = 0;  // the same the other way round
  double better_p = 1;
  std::size_t relabellings = 0;
};

RankTests rank_tests(std::span<const double> baseline, std::span<const double> fresh, Better better,
                     Random& random);

// The shift (in the data's units, towards worse) that the test for the worse finds with probability `power`
// at level `alpha`, for a baseline and new runs of these sizes: by simulation with samples drawn
// from the given baseline. Infinite where no shift is found that often, as with too few runs.
double detectable_shift(std::span<const double> baseline, std::size_t fresh_count, double alpha, double power,
                        Better better, Random& random);

// The typical difference fresh - baseline: the median of all pairwise differences (Hodges and Lehmann 1963),
// of at most 2000 values from each sample.
double typical_shift(std::span<const double> baseline, std::span<const double> fresh);

}  // namespace weir::stats
