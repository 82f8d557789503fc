#include "stats/maxima.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/quadrature/tanh_sinh.hpp>
#include <fmt/format.h>

#include "base/check.hpp"
#include "stats/detail/gev.hpp"

namespace weir::stats {
namespace {

// -log F, kept exact in the upper tail, and its reciprocal slope on the scale of u = -log(-m log F): the
// local scale a(x) = F (-log F)/f, whose derivative is the local shape.
double minus_log_cdf(const Mixture& mixture, double x) {
  const double above = mixture.survival(x);
  return above < 0.5 ? -std::log1p(-above) : -std::log(mixture.cdf(x));
}

double local_scale(const Mixture& mixture, double x) {
  const double density = mixture.density(x);
  if (!(density > 0)) return std::numeric_limits<double>::quiet_NaN();
  return mixture.cdf(x) * minus_log_cdf(mixture, x) / density;
}

// x with F(x)^m = p.
double slowest_quantile(const Mixture& mixture, double targets, double p) {
  const double above = -std::expm1(std::log(p) / targets);
  return above < 0.5 ? mixture.upper_quantile(above) : mixture.quantile(std::exp(std::log(p) / targets));
}

double slowest_mean(const Mixture& mixture, double targets) {
  if (!std::isfinite(mixture.mean())) return std::numeric_limits<double>::infinity();
  // The mean of x over p uniform in (0, 1), once from each end so that 1 - p keeps its digits.
  boost::math::quadrature::tanh_sinh<double> integrate(10);
  const double lower = integrate.integrate(
      [&](double p) { return slowest_quantile(mixture, targets, std::max(p, 1e-300)); }, 0.0, 0.5, 1e-9);
  const double upper = integrate.integrate(
      [&](double q) {
        const double above = -std::expm1(std::log1p(-q) / targets);
        const double x = above < 0.5 ? mixture.upper_quantile(std::max(above, 1e-300))
                                     : mixture.quantile(std::exp(std::log1p(-q) / targets));
        return x;
      },
      0.0, 0.5, 1e-9);
  return lower + upper;
}

}  // namespace

Result<BlockMaxima> block_maxima(std::span<const double> values, std::size_t block) {
  if (block == 0) return Error{Errc::usage, "a block of 0 values has no largest; give at least 1"};
  if (values.size() < block)
    return Error{Errc::bad_data, fmt::format("{} values do not fill one block of {}", values.size(), block)};
  BlockMaxima result;
  result.block = block;
  result.left_over = values.size() % block;
  for (std::size_t i = 0; i + block <= values.size(); i += block) {
    const auto part = values.subspan(i, block);
    result.maxima.push_back(*std::max_element(part.begin(), part.end()));
  }
  return result;
}

std::vector<double> slowest_per_group(const Samples& samples) {
  std::vector<double> maxima;
  maxima.reserve(samples.groups.size());
  for (const Group& group : samples.groups)
    maxima.push_back(*std::max_element(group.values.begin(), group.values.end()));
  return maxima;
}

SlowestOf slowest_of(const Mixture& one_target, double targets) {
  WEIR_CHECK(targets >= 1 && std::isfinite(targets), "{} targets", targets);
  SlowestOf slowest;
  slowest.targets = targets;
  slowest.median = slowest_quantile(one_target, targets, 0.5);
  slowest.low = slowest_quantile(one_target, targets, 0.05);
  slowest.high = slowest_quantile(one_target, targets, 0.95);
  slowest.mean = slowest_mean(one_target, targets);
  slowest.limit.location = slowest_quantile(one_target, targets, std::exp(-1.0));
  slowest.limit.scale = local_scale(one_target, slowest.limit.location);
  const double step = 1e-3 * slowest.limit.scale;
  slowest.limit.shape = (local_scale(one_target, slowest.limit.location + step) -
                         local_scale(one_target, slowest.limit.location - step)) /
                        (2 * step);
  if (!valid(Family::gev, slowest.limit)) {
    slowest.distance = std::numeric_limits<double>::quiet_NaN();
    return slowest;
  }
  constexpr int kGrid = 400;
  for (int i = 1; i < kGrid; ++i) {
    const double p = static_cast<double>(i) / kGrid;
    const double x = slowest_quantile(one_target, targets, p);
    slowest.distance = std::max(slowest.distance, std::abs(cdf(Family::gev, slowest.limit, x) - p));
  }
  return slowest;
}

std::vector<SlowestOf> slowest_growth(const Mixture& one_target, double most) {
  std::vector<SlowestOf> table;
  for (double targets = 1; targets < most; targets *= 2) table.push_back(slowest_of(one_target, targets));
  table.push_back(slowest_of(one_target, std::max(1.0, most)));
  return table;
}

Parameters scale_targets(const Parameters& gev, double factor) {
  WEIR_CHECK(factor > 0, "factor {}", factor);
  const double log_factor = std::log(factor);
  return {
      .location = gev.location + gev.scale * log_factor * detail::gev::expm1_ratio(gev.shape * log_factor),
      .scale = gev.scale * std::exp(gev.shape * log_factor),
      .shape = gev.shape};
}

}  // namespace weir::stats
