#include "study/gain.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/json.hpp"
#include "base/random.hpp"
#include "stats/quantile_interval.hpp"
#include "stats/rank_tests.hpp"

namespace weir::study {
namespace {

constexpr std::size_t kResamples = 4000;

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> made(values.begin(), values.end());
  std::ranges::sort(made);
  return made;
}

double median_of_sorted(const std::vector<double>& values) {
  const std::size_t n = values.size();
  return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

double resampled_median(std::span<const double> values, Random& random, std::vector<double>& room) {
  room.clear();
  for (std::size_t i = 0; i < values.size(); ++i) room.push_back(values[random.below(values.size())]);
  std::ranges::sort(room);
  return median_of_sorted(room);
}

}  // namespace

Level level_of(std::span<const double> times) {
  Level made;
  made.n = times.size();
  if (times.empty()) return made;
  const std::vector<double> values = sorted(times);
  const stats::SampleQuantile interval = stats::sample_quantile(values, 0.5);
  made.median = median_of_sorted(values);
  made.low = interval.low;
  made.high = interval.high;
  made.least = values.front();
  made.most = values.back();
  return made;
}

Gain gain_of(std::span<const double> before, std::span<const double> after, std::uint64_t seed) {
  Gain made;
  made.factor = median_of_sorted(sorted(before)) / median_of_sorted(sorted(after));
  Random random(seed, 1);
  std::vector<double> factors, room;
  for (std::size_t i = 0; i < kResamples; ++i) {
    const double first = resampled_median(before, random, room);
    factors.push_back(first / resampled_median(after, random, room));
  }
  std::ranges::sort(factors);
  made.low = factors[kResamples / 40];
  made.high = factors[kResamples - 1 - kResamples / 40];
  Random relabelling(seed, 2);
  made.p = stats::rank_tests(before, after, stats::Better::lower, relabelling).change_p;
  return made;
}

Json to_json(const Level& level) {
  if (level.n == 0) return nullptr;
  return {{"n", level.n},
          {"median_s", json_number(level.median)},
          {"low_s", json_number(level.low)},
          {"high_s", json_number(level.high)},
          {"least_s", json_number(level.least)},
          {"most_s", json_number(level.most)}};
}

Json to_json(const Gain& gain) {
  return {{"factor", json_number(gain.factor)},
          {"low", json_number(gain.low)},
          {"high", json_number(gain.high)},
          {"p_value", json_number(gain.p)}};
}

}  // namespace weir::study
