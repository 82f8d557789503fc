#include "interference/degradation.hpp"

#include <algorithm>
#include <cmath>

#include "stats/quantile_interval.hpp"

namespace weir::interference {
namespace {

constexpr double kLevelOfEach = 0.975;
constexpr std::size_t kFive = 5;

stats::SampleQuantile median_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return stats::sample_quantile(sorted, 0.5, kLevelOfEach);
}

double best(std::span<const double> values) {
  return *std::ranges::max_element(values.first(std::min(values.size(), kFive)));
}

double lost(double alone, double beside) { return 100 * (alone - beside) / alone; }

}  // namespace

Degradation degradation(std::span<const double> alone, std::span<const double> beside) {
  Degradation result;
  result.alone = alone.size();
  result.beside = beside.size();
  if (alone.empty() || beside.empty()) return result;
  const auto a = median_of(alone), b = median_of(beside);
  if (!(a.estimate > 0)) return result;
  result.percent = lost(a.estimate, b.estimate);
  result.best_of_five = lost(best(alone), best(beside));
  if (std::min(alone.size(), beside.size()) < kRunsForInterval) return result;
  // The largest loss has the fastest run alone and the slowest beside; no loss is above 100 %.
  if (std::isfinite(a.high)) result.high = lost(a.high, std::max(0.0, std::isfinite(b.low) ? b.low : 0.0));
  if (std::isfinite(a.low) && a.low > 0 && std::isfinite(b.high)) result.low = lost(a.low, b.high);
  return result;
}

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double variation_percent(std::span<const double> values) {
  if (values.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return 100 * std::sqrt(squares / static_cast<double>(values.size() - 1)) / mean;
}

bool serialises(double first_loss_percent, double second_loss_percent, const Serialised& limits) {
  const auto [least, most] = std::minmax(first_loss_percent, second_loss_percent);
  return most >= limits.loser && least <= limits.winner;
}

}  // namespace weir::interference
