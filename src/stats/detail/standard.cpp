#include "stats/detail/standard.hpp"

#include <cmath>
#include <numbers>

#include <boost/math/special_functions/erf.hpp>

#include "stats/detail/special.hpp"

namespace weir::stats::detail {

namespace {
constexpr double kHalfLogTwoPi = 0.91893853320467274178;
}

double StandardNormal::log_density(double z) { return -0.5 * z * z - kHalfLogTwoPi; }
double StandardNormal::score(double z) { return -z; }
double StandardNormal::cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }
double StandardNormal::survival(double z) { return 0.5 * std::erfc(z / std::numbers::sqrt2); }
double StandardNormal::quantile(double p) {
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * p, Quiet());
}
double StandardNormal::upper_quantile(double q) { return -quantile(q); }

double StandardSmallest::log_density(double z) { return z - std::exp(z); }
double StandardSmallest::score(double z) { return -std::expm1(z); }
double StandardSmallest::cdf(double z) { return -std::expm1(-std::exp(z)); }
double StandardSmallest::survival(double z) { return std::exp(-std::exp(z)); }
double StandardSmallest::quantile(double p) { return std::log(-std::log1p(-p)); }
double StandardSmallest::upper_quantile(double q) { return std::log(-std::log(q)); }

double StandardLogistic::log_density(double z) {
  const double away = std::abs(z);
  return -away - 2 * std::log1p(std::exp(-away));
}
double StandardLogistic::score(double z) { return -std::tanh(0.5 * z); }
double StandardLogistic::cdf(double z) { return 1 / (1 + std::exp(-z)); }
double StandardLogistic::survival(double z) { return 1 / (1 + std::exp(z)); }
double StandardLogistic::quantile(double p) { return std::log(p) - std::log1p(-p); }
double StandardLogistic::upper_quantile(double q) { return std::log1p(-q) - std::log(q); }

// The mirror image of the smallest extreme value.
double StandardLargest::log_density(double z) { return StandardSmallest::log_density(-z); }
double StandardLargest::score(double z) { return -StandardSmallest::score(-z); }
double StandardLargest::cdf(double z) { return StandardSmallest::survival(-z); }
double StandardLargest::survival(double z) { return StandardSmallest::cdf(-z); }
double StandardLargest::quantile(double p) { return -StandardSmallest::upper_quantile(p); }
double StandardLargest::upper_quantile(double q) { return -StandardSmallest::quantile(q); }

}  // namespace weir::stats::detail
