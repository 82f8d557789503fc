#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include <Eigen/Core>

#include "base/result.hpp"
#include "stats/family.hpp"

namespace weir::stats {

// A generalised extreme value distribution fitted to maxima. Order of parameters in arrays and matrices:
// location, scale, shape.
struct GevFit {
  Parameters parameters;
  Parameters start;                         // the probability-weighted moments it began from
  std::array<double, 3> standard_errors{};  // from the observed information; NaN where it is not definite
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  double log_likelihood = 0;
  std::size_t n = 0;
  int iterations = 0;
  bool converged = false;
  // Standard errors and likelihood-ratio tests hold only for shapes above -1/2 (Smith 1985).
  bool regular = false;
  std::string note;  // why not, in words; empty when all is well
};

// Maximum likelihood by Newton steps with analytic derivatives. Probability-weighted moments start the
// search: the likelihood is unbounded for shape < -1, and a step from far away ends there (Hosking,
// Wallis and Wood 1985). Where no maximum with shape > -1 exists (values that pile up at an upper end)
// the moments are returned, not converged, with a note. Fails for fewer than 5 values, equal values, or
// values that are not finite.
Result<GevFit> fit_gev(std::span<const double> maxima);

// The Gumbel distribution inside it: the shape held at 0, its standard error and covariances 0.
Result<GevFit> fit_gumbel(std::span<const double> maxima);

// Whether the maxima need a shape: twice the gain in log-likelihood over Gumbel, chi-squared with 1 degree
// of freedom under the Gumbel distribution.
struct GumbelTest {
  double statistic = 0;
  double p_value = 1;
};
GumbelTest test_gumbel(const GevFit& gev, const GevFit& gumbel);

// The level exceeded with probability `exceedance` (the return level of 1/exceedance blocks), with its
// standard error by the delta method.
struct ReturnLevel {
  double exceedance = 0;
  double level = 0;
  double standard_error = 0;
};
ReturnLevel return_level(const GevFit& fit, double exceedance);

}  // namespace weir::stats
