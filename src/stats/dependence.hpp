#pragma once

#include <cstddef>
#include <span>

namespace weir::stats {

// Whether runs depend on the ones before, from their order.
struct Dependence {
  std::size_t n = 0;
  double lag_one = 0;    // autocorrelation of neighbouring values
  double statistic = 0;  // Ljung-Box on the ranks of the values, which one outlier cannot decide
  std::size_t lags = 0;
  double p_value = 1;
  // How many runs carry as much as one independent run; 1 where the test finds nothing.
  double inflation = 1;
  // The same if correlation died out geometrically, (1+r)/(1-r) of the lag-1 rank autocorrelation r. Far less
  // than `inflation` where a level lasts over many runs: then runs should be spread over sessions.
  double first_order_inflation = 1;
  double effective_n = 0;  // n / inflation
  // The values came sorted: their run order is lost, and nothing can be said.
  bool order_lost = false;
  bool dependent = false;
};

// Tests at `alpha`. The inflation is 1 + 2 Σ ρ, summed over lags as long as pairs of neighbouring
// autocorrelations are positive (Geyer 1992), on ranks.
Dependence test_dependence(std::span<const double> in_run_order, double alpha = 0.01);

}  // namespace weir::stats
