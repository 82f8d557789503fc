#pragma once

#include <span>

namespace weir::campaign::detail {

// Two-sided p-value of the Wilcoxon rank-sum test of two ascending samples: exact without ties for up to 50
// values each, else the normal approximation with corrections for ties and continuity. Unlike p-values by
// relabelling it has no smallest value that a correction for thousands of configurations could not pass.
double rank_sum_p(std::span<const double> before, std::span<const double> after);

// The median of all differences after - before and its interval of confidence 1 - alpha from the same test,
// for ascending samples; infinite where the samples are too small. Of samples above 2000 values evenly spaced
// order statistics are taken.
struct ShiftInterval {
  double estimate = 0, low = 0, high = 0;
};
ShiftInterval typical_shift(std::span<const double> before, std::span<const double> after, double alpha);

}  // namespace weir::campaign::detail
