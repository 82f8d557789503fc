#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "stats/gev.hpp"

namespace weir::stats {

struct TrafficOptions {
  std::size_t blocks =
      8;  // consecutive parts of the loaded runs, to see a drift; fewer where each has under 25
  double level = 0.95;
};

// The background traffic factor of Henwood et al.: a write on a busy system takes k times what it takes on a
// quiet one, T = k · max(S1 .. Sm), and the maxima follow an extreme value distribution.
struct TrafficFactor {
  double factor = 1;
  double low = 1;  // profile-likelihood interval
  double high = 1;
  GevFit quiet;
  GevFit loaded;
  // "The loaded times are the quiet ones times a constant" against two unrelated fits: chi-squared, 2 degrees
  // of freedom. A factor that varies from run to run widens the loaded times and fails here.
  double scaling_statistic = 0;
  double scaling_p = 1;
  // "One factor for all blocks" against one each: chi-squared, blocks - 1 degrees of freedom. A drift
  // fails here. NaN with fewer than two blocks.
  struct Block {
    std::size_t first = 0;
    std::size_t count = 0;
    double factor = 1;
  };
  std::vector<Block> blocks;
  double drift_statistic = 0;
  double drift_p = 1;

  // Neither test rejects at alpha (half of it each, by Bonferroni).
  bool constant(double alpha = 0.05) const;
};

// Both samples in run order, all values positive.
Result<TrafficFactor> traffic_factor(std::span<const double> quiet, std::span<const double> loaded,
                                     const TrafficOptions& options = {});

}  // namespace weir::stats
