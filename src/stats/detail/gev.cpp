#include "stats/detail/gev.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <boost/math/special_functions/gamma.hpp>

#include "stats/detail/special.hpp"
#include "stats/detail/standard.hpp"

namespace weir::stats::detail::gev {

double log1p_ratio(double w) { return w == 0 ? 1 : std::log1p(w) / w; }

double log1p_ratio_slope(double w) {
  if (std::abs(w) > 0.03) return (1 / (1 + w) - log1p_ratio(w)) / w;
  double sum = 0;  // Σ (-1)^m m/(m+1) w^(m-1); ten terms leave less than 1e-16
  for (int m = 10; m >= 1; --m) sum = (m % 2 == 0 ? 1.0 : -1.0) * m / (m + 1) + w * sum;
  return sum;
}

double expm1_ratio(double w) { return w == 0 ? 1 : std::expm1(w) / w; }

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// u at x: +inf above an upper end point, -inf below a lower one.
double reduced(const Parameters& parameters, double x) {
  const double z = (x - parameters.location) / parameters.scale;
  if (std::isinf(z) && parameters.shape == 0) return z;
  const double w = parameters.shape * z;
  if (w <= -1) return parameters.shape > 0 ? -kInfinity : kInfinity;
  if (std::isinf(w)) return z > 0 ? kInfinity : -kInfinity;
  return z * log1p_ratio(w);
}

double from_reduced(const Parameters& parameters, double u) {
  if (std::isinf(u)) {
    const bool bounded = u > 0 ? parameters.shape < 0 : parameters.shape > 0;
    return bounded ? parameters.location - parameters.scale / parameters.shape : u;
  }
  return parameters.location + parameters.scale * u * expm1_ratio(parameters.shape * u);
}

struct Slopes {
  double location = 0;
  double scale = 0;
  double shape = 0;
};

// du/dμ, du/dσ, du/dξ.
Slopes reduced_slopes(const Parameters& parameters, double x) {
  const double z = (x - parameters.location) / parameters.scale;
  const double w = parameters.shape * z;
  const double slope = 1 / (1 + w) / parameters.scale;
  return {.location = -slope, .scale = -z * slope, .shape = z * z * log1p_ratio_slope(w)};
}

}  // namespace

double log_density(const Parameters& parameters, double x) {
  const double u = reduced(parameters, x);
  if (std::isinf(u)) return -kInfinity;
  return -std::log(parameters.scale) - (parameters.shape + 1) * u - std::exp(-u);
}

double cdf(const Parameters& parameters, double x) { return StandardLargest::cdf(reduced(parameters, x)); }
double survival(const Parameters& parameters, double x) {
  return StandardLargest::survival(reduced(parameters, x));
}
double quantile(const Parameters& parameters, double p) {
  return from_reduced(parameters, StandardLargest::quantile(p));
}
double upper_quantile(const Parameters& parameters, double q) {
  return from_reduced(parameters, StandardLargest::upper_quantile(q));
}

Gradient log_density_gradient(const Parameters& parameters, double x) {
  const double u = reduced(parameters, x);
  if (std::isinf(u)) return {};
  const Slopes du = reduced_slopes(parameters, x);
  const double by_u = std::exp(-u) - (parameters.shape + 1);
  return {.location = by_u * du.location,
          .scale = by_u * du.scale - 1 / parameters.scale,
          .shape = by_u * du.shape - u};
}

Gradient cdf_gradient(const Parameters& parameters, double x) {
  const double u = reduced(parameters, x);
  if (std::isinf(u)) return {};
  const Slopes du = reduced_slopes(parameters, x);
  const double by_u = std::exp(-u - std::exp(-u));
  return {.location = by_u * du.location, .scale = by_u * du.scale, .shape = by_u * du.shape};
}

double mean(const Parameters& parameters) {
  const double xi = parameters.shape;
  if (xi >= 1) return kInfinity;
  // (Γ(1-ξ) - 1)/ξ; near 0 its Taylor series γ + ξ(γ² + π²/6)/2.
  constexpr double gamma = std::numbers::egamma;
  const double factor = std::abs(xi) < 1e-6
                            ? gamma + 0.5 * xi * (gamma * gamma + std::numbers::pi * std::numbers::pi / 6)
                            : boost::math::tgamma1pm1(-xi, Quiet()) / xi;
  return parameters.location + parameters.scale * factor;
}

double variance(const Parameters& parameters) {
  const double xi = parameters.shape;
  if (xi >= 0.5) return kInfinity;
  const double square = parameters.scale * parameters.scale;
  constexpr double at_zero = std::numbers::pi * std::numbers::pi / 6;
  if (std::abs(xi) < 1e-5) return square * at_zero;
  const double one = boost::math::tgamma1pm1(-xi, Quiet());
  const double two = boost::math::tgamma1pm1(-2 * xi, Quiet());
  return square * (two - one * (2 + one)) / (xi * xi);
}

}  // namespace weir::stats::detail::gev
