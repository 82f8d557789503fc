#include "surface/noise_floor.hpp"

#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "base/random.hpp"

namespace weir::surface {
namespace {

// The mean relative error of what was measured as a prediction of what resampling gives; NaN without any.
double oracle_error(const std::vector<double>& runs, const Statistic& statistic, double measured,
                    int resamples, Random& random) {
  std::vector<double> drawn(runs.size());
  double errors = 0;
  int used = 0;
  for (int b = 0; b < resamples; ++b) {
    for (double& value : drawn) value = runs[random.below(runs.size())];
    const double value = statistic.of(drawn);
    if (!(value > 0)) continue;
    ++used;
    errors += std::abs(measured - value) / value;
  }
  return used > 1 ? errors / used : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

NoiseFloor noise_floor(const MapData& map, int resamples, std::uint64_t seed, unsigned threads) {
  const auto n = static_cast<std::size_t>(map.size());
  std::vector<double> each(n, std::numeric_limits<double>::quiet_NaN());
  parallel_for(
      n,
      [&](std::size_t i) {
        Random random(seed, i);
        const std::vector<double>& runs = map.runs[i];
        const Statistic mean{.kind = Statistic::Kind::mean};
        if (runs.size() >= 3)
          each[i] = oracle_error(runs, map.response_given ? mean : map.statistic,
                                 map.value[static_cast<Eigen::Index>(i)], resamples, random);
      },
      threads);
  NoiseFloor floor;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(each[i])) continue;
    sum += 100 * each[i];
    ++floor.configurations;
  }
  floor.percent = floor.configurations > 0 ? sum / static_cast<double>(floor.configurations)
                                           : std::numeric_limits<double>::quiet_NaN();
  return floor;
}

}  // namespace weir::surface
