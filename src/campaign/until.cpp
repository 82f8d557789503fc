#include "campaign/until.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/quantile_interval.hpp"

namespace weir::campaign {

double median_half_width(std::span<const double> values) {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  if (values.empty()) return kUnknown;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto median = stats::sample_quantile(sorted, 0.5, 0.95);
  const double half = 0.5 * (median.high - median.low);
  if (!std::isfinite(half)) return kUnknown;
  if (half == 0) return 0;
  return median.estimate == 0 ? kUnknown : half / std::abs(median.estimate);
}

bool narrow_enough(std::span<const double> values, double half_width_share, std::size_t at_least) {
  return values.size() >= at_least && median_half_width(values) <= half_width_share;
}

}  // namespace weir::campaign
