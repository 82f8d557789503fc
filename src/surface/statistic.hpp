#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weir::surface {

// The number of a configuration's runs that a map is made of.
struct Statistic {
  enum class Kind { deviation, mean, variance, variation, quantile };
  Kind kind = Kind::deviation;
  double probability = 0.5;  // of a quantile

  // Standard deviation and variance have the divisor n - 1, the variation is deviation over mean; NaN
  // where there are too few runs. Quantiles are linear between order statistics (Hyndman and Fan, type 7).
  double of(std::span<const double> runs) const;
  std::size_t least_runs() const;
  std::string name() const;  // "std", "mean", "variance", "cv", "q90"
};

// "std", "mean", "variance", "cv", "q90", "q99.9", "median".
Result<Statistic> parse_statistic(std::string_view text);

// Quantiles of a sample at the probabilities (k + 1/2) / count, by the middle rule (Hyndman and Fan, type 5):
// those of a sample of that size are itself.
std::vector<double> middle_quantiles(std::vector<double> sample, int count);

}  // namespace weir::surface
