#include "stats/quantile_interval.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <boost/math/special_functions/beta.hpp>

#include "base/check.hpp"
#include "stats/detail/special.hpp"

namespace weir::stats {
namespace {

// P(Bin(n, q) <= k).
double binomial_cdf(double n, double q, double k) {
  if (k < 0) return 0;
  if (k >= n) return 1;
  return boost::math::ibetac(k + 1, n - k, q, detail::Quiet());
}

// The smallest count whose binomial CDF reaches p.
double binomial_quantile(double n, double q, double p) {
  const double spread = std::sqrt(n * q * (1 - q));
  double low = std::floor(n * q - 10 * spread) - 10;
  double high = std::ceil(n * q + 10 * spread) + 10;
  while (high - low > 1) {
    const double middle = std::floor(0.5 * (low + high));
    (binomial_cdf(n, q, middle) >= p ? high : low) = middle;
  }
  return high;
}

// The standard error of the quantile as a weighted mean of order statistics with beta weights.
double maritz_jarrett(std::span<const double> sorted, double q) {
  const auto n = static_cast<double>(sorted.size());
  const double a = q * (n + 1);
  const double b = (1 - q) * (n + 1);
  const double reach = 12 * std::sqrt(q * (1 - q) * n) + 12;  // weights beyond are below 1e-20
  const auto first = static_cast<std::size_t>(std::max(0.0, std::floor(q * n - reach)));
  const auto last = std::min(sorted.size(), static_cast<std::size_t>(std::ceil(q * n + reach)));
  const double centre = sorted[std::min(sorted.size() - 1, static_cast<std::size_t>(q * n))];
  double below = boost::math::ibeta(a, b, static_cast<double>(first) / n, detail::Quiet());
  double mean = 0, square = 0, weights = 0;
  for (std::size_t i = first; i < last; ++i) {
    const double up_to = boost::math::ibeta(a, b, static_cast<double>(i + 1) / n, detail::Quiet());
    const double x = sorted[i] - centre;
    mean += (up_to - below) * x;
    square += (up_to - below) * x * x;
    weights += up_to - below;
    below = up_to;
  }
  mean /= weights;
  return std::sqrt(std::max(0.0, square / weights - mean * mean));
}

}  // namespace

SampleQuantile sample_quantile(std::span<const double> sorted, double q, double level) {
  WEIR_CHECK(!sorted.empty() && q > 0 && q < 1 && level > 0 && level < 1);
  const auto n = static_cast<double>(sorted.size());
  SampleQuantile result{.q = q, .estimate = 0, .low = 0, .high = 0, .standard_error = 0, .level = level};

  const double position = q * (n + 1.0 / 3) + 1.0 / 3 - 1;  // type 8, counted from 0
  const double clamped = std::clamp(position, 0.0, n - 1);
  const auto under = static_cast<std::size_t>(clamped);
  const double part = clamped - static_cast<double>(under);
  result.estimate = sorted[under];
  if (part > 0) result.estimate += part * (sorted[under + 1] - sorted[under]);

  // The true quantile lies at or above X_(l) and at or below X_(u) (ranks from 1) unless fewer than l or at
  // least u values fall below it.
  const double tail = 0.5 * (1 - level);
  const double lower_rank = binomial_quantile(n, q, tail);  // P(count < rank) < tail
  const double upper_rank = binomial_quantile(n, q, 1 - tail) + 1;
  const double infinity = std::numeric_limits<double>::infinity();
  result.low = lower_rank >= 1 ? sorted[static_cast<std::size_t>(lower_rank) - 1] : -infinity;
  result.high = upper_rank <= n ? sorted[static_cast<std::size_t>(upper_rank) - 1] : infinity;
  result.standard_error = maritz_jarrett(sorted, q);
  return result;
}

}  // namespace weir::stats
