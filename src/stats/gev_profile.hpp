#pragma once

#include <span>

#include "base/result.hpp"
#include "stats/gev.hpp"

namespace weir::stats {

// A confidence interval read off the profile likelihood: where the likelihood, maximised over the other
// parameters, has fallen by half the chi-squared quantile. Unlike estimate ± 1.96 standard errors it is
// as lopsided as the likelihood, which matters for return levels. An end that the likelihood does not
// close within 100 standard errors is infinite.
struct ProfileInterval {
  double estimate = 0;
  double low = 0;
  double high = 0;
  double level = 0.95;
};

// `fit` must be the converged fit of these same maxima.
Result<ProfileInterval> profile_shape(std::span<const double> maxima, const GevFit& fit, double level = 0.95);
// For the level exceeded with probability `exceedance`.
Result<ProfileInterval> profile_return_level(std::span<const double> maxima, const GevFit& fit,
                                             double exceedance, double level = 0.95);

}  // namespace weir::stats
