#pragma once

#include <optional>
#include <span>

#include <Eigen/Core>

#include "stats/detail/newton.hpp"
#include "stats/family.hpp"

namespace weir::stats::detail {

// Coordinates of the search: location, logarithm of the scale, shape.
Eigen::Vector3d gev_coordinates(const Parameters& parameters);
Parameters gev_parameters(const Eigen::Vector3d& coordinates);

// The log-likelihood with gradient and Hessian in these coordinates. Infeasible where a value lies outside
// the support or the shape is not above -1: there the likelihood has no bound.
Quadratic gev_likelihood(std::span<const double> values, const Eigen::Vector3d& coordinates);

// The same with the quantile whose -log(-log p) is `reduced` as first coordinate in place of the location.
Quadratic gev_likelihood_at_level(std::span<const double> values, double reduced,
                                  const Eigen::Vector3d& coordinates);
// Location from such coordinates, and the quantile from parameters.
double gev_location(double reduced, const Eigen::Vector3d& coordinates);
double gev_level(double reduced, const Parameters& parameters);

// Probability-weighted moments: Hosking, Wallis and Wood, Technometrics 27 (1985), eqs 14 and 15. `shape`
// given: only location and scale are estimated. The values are in ascending order and not all equal.
Parameters gev_moments(std::span<const double> sorted, std::optional<double> shape = std::nullopt);

}  // namespace weir::stats::detail
