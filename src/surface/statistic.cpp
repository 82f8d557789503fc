#include "surface/statistic.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace weir::surface {
namespace {

double mean_of(std::span<const double> runs) {
  return std::accumulate(runs.begin(), runs.end(), 0.0) / static_cast<double>(runs.size());
}

double variance_of(std::span<const double> runs, double mean) {
  double squares = 0;
  for (const double run : runs) squares += (run - mean) * (run - mean);
  return squares / static_cast<double>(runs.size() - 1);
}

double quantile_of(std::span<const double> runs, double probability) {
  std::vector<double> sorted(runs.begin(), runs.end());
  const double place = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(sorted.begin(), at, sorted.end());
  const double low = *at;
  if (below + 1 >= sorted.size()) return low;
  const double high = *std::min_element(at + 1, sorted.end());
  return low + (place - static_cast<double>(below)) * (high - low);
}

}  // namespace

double Statistic::of(std::span<const double> runs) const {
  if (runs.size() < least_runs()) return std::numeric_limits<double>::quiet_NaN();
  if (kind == Kind::quantile) return quantile_of(runs, probability);
  const double mean = mean_of(runs);
  switch (kind) {
    case Kind::mean:
      return mean;
    case Kind::variance:
      return variance_of(runs, mean);
    case Kind::variation:
      return std::sqrt(variance_of(runs, mean)) / mean;
    default:
      return std::sqrt(variance_of(runs, mean));
  }
}

std::size_t Statistic::least_runs() const { return kind == Kind::mean || kind == Kind::quantile ? 1 : 2; }

std::string Statistic::name() const {
  switch (kind) {
    case Kind::mean:
      return "mean";
    case Kind::variance:
      return "variance";
    case Kind::variation:
      return "cv";
    case Kind::quantile:
      return fmt::format("q{:.6g}", probability * 100);
    default:
      return "std";
  }
}

Result<Statistic> parse_statistic(std::string_view text) {
  using Kind = Statistic::Kind;
  if (text == "std") return Statistic{};
  if (text == "mean") return Statistic{.kind = Kind::mean};
  if (text == "variance" || text == "var") return Statistic{.kind = Kind::variance};
  if (text == "cv") return Statistic{.kind = Kind::variation};
  if (text == "median") return Statistic{.kind = Kind::quantile};
  double percent = -1;
  const char* const end = text.data() + text.size();
  if (text.size() > 1 && text.front() == 'q')
    if (const auto [stopped, fault] = std::from_chars(text.data() + 1, end, percent);
        fault != std::errc() || stopped != end)
      percent = -1;
  if (!(percent >= 0 && percent <= 100))
    return Error{Errc::usage, fmt::format("no statistic '{}'", text)}.with_remedy(
        "use std, mean, variance, cv, median or a quantile such as q90");
  return Statistic{.kind = Kind::quantile, .probability = percent / 100};
}

std::vector<double> middle_quantiles(std::vector<double> sample, int count) {
  std::sort(sample.begin(), sample.end());
  if (std::cmp_equal(sample.size(), count)) return sample;
  const auto n = static_cast<double>(sample.size());
  std::vector<double> made;
  for (int k = 0; k < count; ++k) {
    const double place = std::clamp((k + 0.5) / count * n - 0.5, 0.0, n - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sample.size() - 1);
    made.push_back(sample[below] + (place - static_cast<double>(below)) * (sample[above] - sample[below]));
  }
  return made;
}

}  // namespace weir::surface
