#include "stats/detail/gamma.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/log1p.hpp>

#include "stats/detail/special.hpp"

namespace weir::stats::detail::gamma {

double log_peak(double shape) {
  if (shape < 20) return shape * std::log(shape) - shape - boost::math::lgamma(shape, Quiet());
  const double r = 1 / shape;
  const double r2 = r * r;
  const double correction =
      r * (1.0 / 12 - r2 * (1.0 / 360 - r2 * (1.0 / 1260 - r2 * (1.0 / 1680 - r2 / 1188))));
  return 0.5 * std::log(shape / (2 * std::numbers::pi)) - correction;
}

double log_density(const Parameters& parameters, double x) {
  if (!(x > 0)) return -std::numeric_limits<double>::infinity();
  const double mean = parameters.location * parameters.scale;
  const double away = (x - mean) / mean;
  if (!(away < std::numeric_limits<double>::max())) return -std::numeric_limits<double>::infinity();
  // log1pmx needs an argument above -1; far below the mean the plain form loses nothing.
  const double shortfall =
      away > -0.9 ? boost::math::log1pmx(away, Quiet()) : std::log(x) - std::log(mean) - away;
  return parameters.location * shortfall + log_peak(parameters.location) - std::log(x);
}

double cdf(const Parameters& parameters, double x) {
  if (!(x > 0)) return 0;
  return boost::math::gamma_p(parameters.location, x / parameters.scale, Quiet());
}

double survival(const Parameters& parameters, double x) {
  if (!(x > 0)) return 1;
  return boost::math::gamma_q(parameters.location, x / parameters.scale, Quiet());
}

double quantile(const Parameters& parameters, double p) {
  return parameters.scale * boost::math::gamma_p_inv(parameters.location, p, Quiet());
}

double upper_quantile(const Parameters& parameters, double q) {
  return parameters.scale * boost::math::gamma_q_inv(parameters.location, q, Quiet());
}

// Marsaglia and Tsang (2000); below shape 1 their boost by U^(1/a), taken in logarithms.
double sample(const Parameters& parameters, Random& random) {
  const double shape = parameters.location;
  const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double normal = random.normal();
    const double root = 1 + c * normal;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(random.uniform()) >= 0.5 * normal * normal + d * (1 - v + std::log(v))) continue;
    const double factor = shape < 1 ? std::exp(std::log(random.uniform()) / shape) : 1;
    return parameters.scale * d * v * factor;
  }
}

Gradient log_density_gradient(const Parameters& parameters, double x) {
  const double shape = parameters.location;
  const double scale = parameters.scale;
  const double mean = shape * scale;
  // log(x/σ) - ψ(a), as log(x/mean) + (log a - ψ(a)): the second term is about 1/2a.
  double gap = 0;
  if (shape < 20) {
    gap = std::log(shape) - boost::math::digamma(shape, Quiet());
  } else {
    const double r = 1 / shape;
    const double r2 = r * r;
    gap = r * (0.5 + r * (1.0 / 12 - r2 * (1.0 / 120 - r2 * (1.0 / 252 - r2 * (1.0 / 240 - r2 / 132)))));
  }
  // Far below the mean the difference has no digits left of x.
  const double away = (x - mean) / mean;
  const double log_ratio = away > -0.9 ? std::log1p(away) : std::log(x) - std::log(mean);
  return {.location = log_ratio + gap, .scale = (x - mean) / (scale * scale), .shape = 0};
}

Gradient cdf_gradient(const Parameters& parameters, double x) {
  if (!(x > 0) || !std::isfinite(x)) return {};
  const double shape = parameters.location;
  const double y = x / parameters.scale;
  // There is no closed form for the shape: a fourth-order difference of whichever tail is the smaller, with a
  // step in proportion to the width sqrt(a) over which the CDF moves.
  const double step = 2e-3 * std::min(shape, std::sqrt(shape));
  const bool upper = y > shape;
  const auto tail = [&](double a) {
    return upper ? -boost::math::gamma_q(a, y, Quiet()) : boost::math::gamma_p(a, y, Quiet());
  };
  const double near = tail(shape + step) - tail(shape - step);
  const double far = tail(shape + 2 * step) - tail(shape - 2 * step);
  return {.location = (8 * near - far) / (12 * step),
          .scale = -y * std::exp(log_density(parameters, x)),
          .shape = 0};
}

}  // namespace weir::stats::detail::gamma
