#include "stats/detail/gev_likelihood.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <boost/math/special_functions/gamma.hpp>

#include "stats/detail/gev.hpp"
#include "stats/detail/special.hpp"

namespace weir::stats::detail {
namespace {

// L(w) = log(1+w)/w with two derivatives.
struct LogRatio {
  double value;
  double slope;
  double bend;
};

LogRatio log_ratio(double w) {
  const double value = gev::log1p_ratio(w);
  if (std::abs(w) > 0.03) {
    const double inverse = 1 / (1 + w);
    const double slope = (inverse - value) / w;
    return {value, slope, -(inverse * inverse + 2 * slope) / w};
  }
  double slope = 0;  // Σ (-1)^m m/(m+1) w^(m-1) and its derivative, by Horner
  double bend = 0;
  for (int m = 12; m >= 1; --m) {
    bend = slope + w * bend;
    slope = (m % 2 == 0 ? 1.0 : -1.0) * m / (m + 1) + w * slope;
  }
  return {value, slope, bend};
}

// E(w) = (e^w - 1)/w with two derivatives.
LogRatio exp_ratio(double w) {
  const double value = gev::expm1_ratio(w);
  if (std::abs(w) > 0.1) {
    const double slope = (std::exp(w) - value) / w;
    return {value, slope, (std::exp(w) - 2 * slope) / w};
  }
  double slope = 0;  // Σ m w^(m-1)/(m+1)! and its derivative, by Horner
  double bend = 0;
  double factorial = 87178291200.0;  // 14!
  for (int m = 13; m >= 1; --m) {
    bend = slope + w * bend;
    slope = m / factorial + w * slope;
    factorial /= m + 1;
  }
  return {value, slope, bend};
}

}  // namespace

Eigen::Vector3d gev_coordinates(const Parameters& parameters) {
  return {parameters.location, std::log(parameters.scale), parameters.shape};
}

Parameters gev_parameters(const Eigen::Vector3d& coordinates) {
  return {.location = coordinates[0], .scale = std::exp(coordinates[1]), .shape = coordinates[2]};
}

Quadratic gev_likelihood(std::span<const double> values, const Eigen::Vector3d& coordinates) {
  const double location = coordinates[0];
  const double scale = std::exp(coordinates[1]);
  const double shape = coordinates[2];
  Quadratic total;
  total.value = -std::numeric_limits<double>::infinity();
  if (!(shape > -1) || !std::isfinite(scale) || scale <= 0) return total;

  // Per value l = -log σ - (1+ξ)u - e^-u with u = z L(ξz), z = (x-μ)/σ; du/dz = 1/y with y = 1 + ξz,
  // du/dξ = z² L'. The sums below are those of the derivatives by z and ξ; σ comes in at the end.
  double value = 0;
  double z1 = 0, z1z = 0, x1 = 0;    // l_z, z l_z, l_ξ
  double zz = 0, zzz = 0, zzzz = 0;  // l_zz times 1, z, z²
  double zx = 0, zxz = 0, xx = 0;    // l_zξ, z l_zξ, l_ξξ
  const double inverse_scale = 1 / scale;
  for (const double x : values) {
    const double z = (x - location) * inverse_scale;
    const double w = shape * z;
    if (!(w > -1)) return total;
    const LogRatio ratio = log_ratio(w);
    const double u = z * ratio.value;
    const double t = std::exp(-u);
    const double by_u = t - (1 + shape);
    const double inverse = 1 / (1 + w);
    const double u_x = z * z * ratio.slope;
    const double l_z = by_u * inverse;
    const double l_zz = -(t + shape * by_u) * inverse * inverse;
    const double l_zx = -(t * u_x + 1 + l_z * z) * inverse;
    value -= (1 + shape) * u + t;
    z1 += l_z;
    z1z += l_z * z;
    x1 += by_u * u_x - u;
    zz += l_zz;
    zzz += l_zz * z;
    zzzz += l_zz * z * z;
    zx += l_zx;
    zxz += l_zx * z;
    xx += by_u * z * z * z * ratio.bend - u_x * (t * u_x + 2);
  }
  const auto n = static_cast<double>(values.size());
  value -= n * coordinates[1];
  if (!std::isfinite(value)) return total;
  total.value = value;
  total.gradient = {-z1 * inverse_scale, -n - z1z, x1};
  const double location_scale = (zzz + z1) * inverse_scale;
  const double location_shape = -zx * inverse_scale;
  total.hessian << zz * inverse_scale * inverse_scale, location_scale, location_shape,  //
      location_scale, zzzz + z1z, -zxz,                                                 //
      location_shape, -zxz, xx;
  return total;
}

double gev_level(double reduced, const Parameters& parameters) {
  return parameters.location + parameters.scale * reduced * gev::expm1_ratio(parameters.shape * reduced);
}

double gev_location(double reduced, const Eigen::Vector3d& coordinates) {
  return coordinates[0] - std::exp(coordinates[1]) * reduced * gev::expm1_ratio(coordinates[2] * reduced);
}

Quadratic gev_likelihood_at_level(std::span<const double> values, double reduced,
                                  const Eigen::Vector3d& coordinates) {
  Quadratic plain =
      gev_likelihood(values, {gev_location(reduced, coordinates), coordinates[1], coordinates[2]});
  if (!std::isfinite(plain.value)) return plain;
  // μ = level - σ h(ξ) with h = u E(ξu): the chain rule with one bent coordinate.
  const double scale = std::exp(coordinates[1]);
  const LogRatio ratio = exp_ratio(coordinates[2] * reduced);
  const double h = reduced * ratio.value;
  const double h1 = reduced * reduced * ratio.slope;
  const double h2 = reduced * reduced * reduced * ratio.bend;
  Eigen::Matrix3d jacobian = Eigen::Matrix3d::Identity();
  jacobian(0, 1) = -scale * h;
  jacobian(0, 2) = -scale * h1;
  Eigen::Matrix3d bend = Eigen::Matrix3d::Zero();
  bend(1, 1) = -scale * h;
  bend(1, 2) = bend(2, 1) = -scale * h1;
  bend(2, 2) = -scale * h2;
  return {.value = plain.value,
          .gradient = jacobian.transpose() * plain.gradient,
          .hessian = jacobian.transpose() * plain.hessian * jacobian + plain.gradient[0] * bend};
}

Parameters gev_moments(std::span<const double> sorted, std::optional<double> shape) {
  const auto n = static_cast<double>(sorted.size());
  double b0 = 0, b1 = 0, b2 = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto below = static_cast<double>(i);
    const double centred = sorted[i] - sorted[0];  // keeps the digits of values far from zero
    b0 += centred;
    b1 += centred * below / (n - 1);
    b2 += centred * below * (below - 1) / ((n - 1) * (n - 2));
  }
  b0 /= n;
  b1 /= n;
  b2 /= n;
  double k = shape ? -*shape : 0;
  if (!shape) {
    const double c = (2 * b1 - b0) / (3 * b2 - b0) - std::numbers::ln2 / std::log(3.0);
    k = 7.8590 * c + 2.9554 * c * c;
  }
  const double spread = 2 * b1 - b0;
  if (std::abs(k) < 1e-6) {
    const double scale = spread / std::numbers::ln2;
    return {.location = sorted[0] + b0 - std::numbers::egamma * scale, .scale = scale, .shape = -k};
  }
  const double gamma_less_one = boost::math::tgamma1pm1(k, Quiet());  // Γ(1+k) - 1
  const double scale = spread * k / ((1 + gamma_less_one) * -std::expm1(-k * std::numbers::ln2));
  return {.location = sorted[0] + b0 + scale * gamma_less_one / k, .scale = scale, .shape = -k};
}

}  // namespace weir::stats::detail
