#include "stats/gev.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Cholesky>
#include <boost/math/distributions/chi_squared.hpp>
#include <fmt/format.h>

#include "base/check.hpp"
#include "stats/detail/gev_likelihood.hpp"

namespace weir::stats {
namespace {

constexpr std::size_t kFewestMaxima = 5;

struct Start {
  Parameters parameters;
  Parameters moments;
};

Result<Start> start_from(std::span<const double> maxima, bool gumbel) {
  if (maxima.size() < kFewestMaxima)
    return Error{Errc::bad_data, fmt::format("{} values; an extreme value fit needs at least {}",
                                             maxima.size(), kFewestMaxima)};
  if (!std::all_of(maxima.begin(), maxima.end(), [](double x) { return std::isfinite(x); }))
    return Error{Errc::bad_data, "a value is not finite"};
  std::vector<double> sorted(maxima.begin(), maxima.end());
  std::sort(sorted.begin(), sorted.end());
  if (!(sorted.back() > sorted.front()))
    return Error{Errc::bad_data, fmt::format("all {} values are equal", sorted.size())};

  const Parameters moments = gumbel ? detail::gev_moments(sorted, 0.0) : detail::gev_moments(sorted);
  // The moments may put a value outside their support: a wider scale takes it in, and shape 0 takes in all.
  const auto feasible = [&](const Parameters& p) {
    return valid(Family::gev, p) && p.shape > -1 &&
           std::isfinite(log_density(Family::gev, p, sorted.front())) &&
           std::isfinite(log_density(Family::gev, p, sorted.back()));
  };
  Parameters start = moments;
  if (!std::isfinite(start.shape)) start = detail::gev_moments(sorted, 0.0);
  start.shape = std::clamp(start.shape, -0.9, 2.0);
  const double reach = start.shape < 0 ? sorted.back() - start.location : start.location - sorted.front();
  start.scale = std::max(start.scale, 1.05 * std::abs(start.shape) * reach);
  if (!feasible(start)) start = detail::gev_moments(sorted, 0.0);
  if (!feasible(start)) return Error{Errc::bad_data, "the values span too many orders of magnitude to fit"};
  return Start{start, moments};
}

// The covariance of location, scale and shape from the information in the search's coordinates.
void add_errors(const Eigen::Matrix3d& hessian, bool gumbel, GevFit& fit) {
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  bool definite = false;
  if (gumbel) {
    const Eigen::Matrix2d information = -hessian.topLeftCorner<2, 2>();
    definite = Eigen::LLT<Eigen::Matrix2d>(information).info() == Eigen::Success;
    if (definite) covariance.topLeftCorner<2, 2>() = information.ldlt().solve(Eigen::Matrix2d::Identity());
  } else {
    definite = Eigen::LLT<Eigen::Matrix3d>(-hessian).info() == Eigen::Success;
    if (definite) covariance = (-hessian).ldlt().solve(Eigen::Matrix3d::Identity());
  }
  if (!definite) covariance.fill(std::numeric_limits<double>::quiet_NaN());
  const Eigen::Vector3d units(1, fit.parameters.scale, 1);
  fit.covariance = units.asDiagonal() * covariance * units.asDiagonal();
  for (int i = 0; i < 3; ++i)
    fit.standard_errors[static_cast<std::size_t>(i)] = std::sqrt(fit.covariance(i, i));
}

Result<GevFit> fit(std::span<const double> maxima, bool gumbel) {
  const auto start = start_from(maxima, gumbel);
  if (!start) return start.error();
  const auto likelihood = [&](const Eigen::Vector3d& at) { return detail::gev_likelihood(maxima, at); };
  detail::Maximum top =
      detail::maximise(likelihood, detail::gev_coordinates(start->parameters), {true, true, !gumbel});
  GevFit result;
  result.n = maxima.size();
  result.start = start->moments;
  result.iterations = top.iterations;
  result.converged = top.converged;
  if (!top.converged && !gumbel) {
    // The way up led to the edge at shape -1.
    top.at = detail::gev_coordinates(start->parameters);
    top.there = likelihood(top.at);
    result.note =
        "the likelihood has no maximum with shape above -1: the values pile up at an upper end; "
        "probability-weighted moments are given instead";
  }
  result.parameters = detail::gev_parameters(top.at);
  result.log_likelihood = top.there.value;
  add_errors(top.there.hessian, gumbel, result);
  if (!top.converged) result.standard_errors.fill(std::numeric_limits<double>::quiet_NaN());
  result.regular = top.converged && result.parameters.shape > -0.5;
  if (top.converged && !result.regular)
    result.note = "the shape is not above -1/2: standard errors and likelihood-ratio tests do not hold";
  return result;
}

}  // namespace

Result<GevFit> fit_gev(std::span<const double> maxima) { return fit(maxima, false); }
Result<GevFit> fit_gumbel(std::span<const double> maxima) { return fit(maxima, true); }

GumbelTest test_gumbel(const GevFit& gev, const GevFit& gumbel) {
  const double statistic = std::max(0.0, 2 * (gev.log_likelihood - gumbel.log_likelihood));
  return {statistic, boost::math::cdf(boost::math::complement(boost::math::chi_squared(1), statistic))};
}

ReturnLevel return_level(const GevFit& fit, double exceedance) {
  WEIR_CHECK(exceedance > 0 && exceedance < 1, "exceedance {}", exceedance);
  const double level = upper_quantile(Family::gev, fit.parameters, exceedance);
  // dx/dθ = -(dF/dθ)/f at the level.
  const Gradient slope = cdf_gradient(Family::gev, fit.parameters, level);
  const double density_there = density(Family::gev, fit.parameters, level);
  const Eigen::Vector3d gradient = Eigen::Vector3d(slope.location, slope.scale, slope.shape) / -density_there;
  return {exceedance, level, std::sqrt(gradient.dot(fit.covariance * gradient))};
}

}  // namespace weir::stats
