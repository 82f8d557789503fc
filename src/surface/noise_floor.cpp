#include "surface/noise_floor.hpp"

#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "base/random.hpp"

namespace weir::surface {
namespace {

struct Resampled {
  double oracle = 0;
  double variance = 0;
  double log_variance = 0;
};

Resampled resample(const std::vector<double>& runs, const Statistic& statistic, double measured,
                   int resamples, Random& random) {
  std::vector<double> drawn(runs.size());
  double errors = 0;
  double sum = 0;
  double squares = 0;
  double logs = 0;
  double log_squares = 0;
  int used = 0;
  for (int b = 0; b < resamples; ++b) {
    for (double& value : drawn) value = runs[random.below(runs.size())];
    const double value = statistic.of(drawn);
    if (!(value > 0)) continue;
    ++used;
    errors += std::abs(measured - value) / value;
    sum += value;
    squares += value * value;
    logs += std::log(value);
    log_squares += std::log(value) * std::log(value);
  }
  if (used < 2) return {std::numeric_limits<double>::quiet_NaN(), 0, 0};
  const double n = used;
  return {errors / n, std::max(0.0, (squares - sum * sum / n) / (n - 1)),
          std::max(0.0, (log_squares - logs * logs / n) / (n - 1))};
}

}  // namespace

NoiseFloor noise_floor(const MapData& map, int resamples, std::uint64_t seed, unsigned threads) {
  const auto n = static_cast<std::size_t>(map.size());
  std::vector<Resampled> each(n);
  parallel_for(
      n,
      [&](std::size_t i) {
        Random random(seed, i);
        const std::vector<double>& runs = map.runs[i];
        const Statistic mean{.kind = Statistic::Kind::mean};
        each[i].oracle = std::numeric_limits<double>::quiet_NaN();
        if (runs.size() >= 3)
          each[i] = resample(runs, map.response_given ? mean : map.statistic,
                             map.value[static_cast<Eigen::Index>(i)], resamples, random);
      },
      threads);
  NoiseFloor floor;
  floor.log_variance.setZero(map.size());
  floor.variance.setZero(map.size());
  floor.oracle_percent.setConstant(map.size(), std::numeric_limits<double>::quiet_NaN());
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    floor.variance[row] = each[i].variance;
    floor.log_variance[row] = each[i].log_variance;
    if (!std::isfinite(each[i].oracle)) continue;
    floor.oracle_percent[row] = 100 * each[i].oracle;
    sum += 100 * each[i].oracle;
    ++floor.configurations;
  }
  floor.percent = floor.configurations > 0 ? sum / static_cast<double>(floor.configurations)
                                           : std::numeric_limits<double>::quiet_NaN();
  return floor;
}

}  // namespace weir::surface
