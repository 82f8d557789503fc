#include "stats/plot_points.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <boost/math/special_functions/beta.hpp>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "stats/detail/special.hpp"

namespace weir::stats {
namespace {

constexpr std::size_t kMostChecked = 5000;

double plotting_position(std::size_t index, std::size_t n) {
  return (static_cast<double>(index) + 0.5) / static_cast<double>(n);
}

// At most about `most` ascending indices below n: all where they fit, else dense at both ends.
std::vector<std::size_t> chosen(std::size_t n, std::size_t most) {
  std::vector<std::size_t> indices;
  if (n <= most) {
    for (std::size_t i = 0; i < n; ++i) indices.push_back(i);
    return indices;
  }
  // Equal steps of an angle whose sine runs over the sample: the ends get many points, the middle few.
  for (std::size_t j = 0; j < most; ++j) {
    const double turn = static_cast<double>(j) / static_cast<double>(most - 1);
    const double share = 0.5 * (1 - std::cos(std::numbers::pi * turn));
    indices.push_back(static_cast<std::size_t>(std::llround(share * static_cast<double>(n - 1))));
  }
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  return indices;
}

void add_curves(std::span<const double> sorted, const Mixture& model, const PlotOptions& options,
                PlotPoints& points) {
  const std::size_t n = sorted.size();
  for (const std::size_t i : chosen(n, options.most_points))
    points.ecdf.push_back({sorted[i], static_cast<double>(i + 1) / static_cast<double>(n)});
  const double margin = 0.05 * (sorted.back() - sorted.front());
  double low = sorted.front() - margin;
  const double high = sorted.back() + margin;
  if (positive_only(model.family)) low = std::max(low, 0.5 * sorted.front());
  const std::size_t grid = std::max<std::size_t>(2, options.grid);
  for (std::size_t i = 0; i < grid; ++i) {
    const double x = low + (high - low) * static_cast<double>(i) / static_cast<double>(grid - 1);
    points.curve.push_back({x, model.cdf(x), model.density(x)});
  }
}

void mark(PlotPoints& points, std::size_t most_points) {
  points.checked = points.quantiles.size();
  for (QuantilePoint& point : points.quantiles) {
    point.outside = point.observed < point.low || point.observed > point.high;
    if (point.outside) points.outside.push_back(point);
  }
  std::vector<QuantilePoint> kept;
  for (const std::size_t i : chosen(points.quantiles.size(), most_points))
    kept.push_back(points.quantiles[i]);
  points.quantiles = std::move(kept);
}

std::vector<double> ascending(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

std::string_view name(Band band) {
  return band == Band::order_statistics ? "order_statistics" : "simulated_refits";
}

PlotPoints plot_points(std::span<const double> values, const Mixture& model, const PlotOptions& options) {
  PlotPoints points;
  points.level = options.level;
  if (values.empty()) return points;
  const std::vector<double> sorted = ascending(values);
  const std::size_t n = sorted.size();
  add_curves(sorted, model, options, points);
  for (const std::size_t i : chosen(n, kMostChecked)) {
    const auto a = static_cast<double>(i + 1);
    const auto b = static_cast<double>(n - i);
    const double tail = 0.5 * (1 - options.level);
    const double low = boost::math::ibeta_inv(a, b, tail, detail::Quiet());
    const double high_above = boost::math::ibeta_inv(b, a, tail, detail::Quiet());  // 1 - the upper one
    points.quantiles.push_back({.model = model.quantile(plotting_position(i, n)),
                                .observed = sorted[i],
                                .low = model.quantile(low),
                                .high = model.upper_quantile(high_above),
                                .rank = i + 1,
                                .outside = false});
  }
  mark(points, options.most_points);
  return points;
}

PlotPoints plot_points(std::span<const double> values, const GevFit& fit, const PlotOptions& options) {
  const Mixture model{Family::gev, {{1.0, fit.parameters}}};
  const std::size_t n = values.size();
  if (n > kMostChecked || n == 0 || options.repeats < 40) return plot_points(values, model, options);
  PlotPoints points;
  points.level = options.level;
  points.band = Band::simulated_refits;
  const std::vector<double> sorted = ascending(values);
  add_curves(sorted, model, options, points);

  // strays[i][r]: how far the i-th smallest of repeat r lies from its own fit's quantile.
  std::vector<std::vector<double>> strays(n, std::vector<double>(options.repeats));
  parallel_for(options.repeats, [&](std::size_t r) {
    Random random(options.seed, r);
    std::vector<double> drawn(n);
    for (double& x : drawn) x = sample(Family::gev, fit.parameters, random);
    std::sort(drawn.begin(), drawn.end());
    const auto again = fit_gev(drawn);
    const Parameters& own = again ? again->parameters : fit.parameters;
    for (std::size_t i = 0; i < n; ++i)
      strays[i][r] = drawn[i] - quantile(Family::gev, own, plotting_position(i, n));
  });
  const double tail = 0.5 * (1 - options.level);
  const auto last = static_cast<double>(options.repeats - 1);
  for (std::size_t i = 0; i < n; ++i) {
    std::sort(strays[i].begin(), strays[i].end());
    const double centre = quantile(Family::gev, fit.parameters, plotting_position(i, n));
    points.quantiles.push_back(
        {.model = centre,
         .observed = sorted[i],
         .low = centre + strays[i][static_cast<std::size_t>(std::llround(tail * last))],
         .high = centre + strays[i][static_cast<std::size_t>(std::llround((1 - tail) * last))],
         .rank = i + 1,
         .outside = false});
  }
  mark(points, options.most_points);
  return points;
}

}  // namespace weir::stats
