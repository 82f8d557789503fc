#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "stats/mixture.hpp"

namespace weir::stats {

// How well n independent values determine a quantile under a fitted mixture.
struct QuantileError {
  double q = 0;
  double quantile = 0;
  double unit_error = 0;  // standard error of the estimated quantile for n = 1; it falls as 1/sqrt(n)

  double standard_error(double n) const;
};

// From the expected Fisher information and the delta method, dx_q/dθ = -(∂F/∂θ)/f: Xu et al., Appendix A,
// with its misprints put right. Holds for every family. Fails where the information is singular (components
// that coincide or a weight of zero) or does not exist.
Result<std::vector<QuantileError>> quantile_errors(const Mixture& mixture, std::span<const double> quantiles);

// A quantile of a fitted model with its interval.
struct QuantileInterval {
  double q = 0;
  double quantile = 0;
  double low = 0;
  double high = 0;
};

// Intervals from n values that allow for what quantile ± 1.96 standard errors does not: an estimate that is
// skewed or biased and an error that is itself estimated, as with a small component near the quantile.
// Samples are drawn from the fit and fitted again, and the interval takes the quantiles of their own
// (estimate - truth)/error (the bootstrap-t of Efron). `refits` at least 40; those that fail are left out.
Result<std::vector<QuantileInterval>> calibrated_intervals(const Mixture& fit, std::size_t n,
                                                           std::span<const double> quantiles,
                                                           double level = 0.95, std::size_t refits = 399,
                                                           std::uint64_t seed = 1);

}  // namespace weir::stats
