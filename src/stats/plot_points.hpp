#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "stats/gev.hpp"
#include "stats/mixture.hpp"

namespace weir::stats {

// How the band of a quantile plot was made.
enum class Band {
  // Each order statistic's own interval under the model: F^-1 of the beta quantiles. Takes the model as
  // given, so it is a little wide for a model fitted to the same values.
  order_statistics,
  // Samples drawn from the fit and fitted again: how far sorted values stray from their own fit.
  simulated_refits,
};
std::string_view name(Band band);

struct QuantilePoint {
  double model = 0;     // the model's quantile at the value's plotting position (i - 1/2)/n
  double observed = 0;  // the i-th smallest value
  double low = 0;       // pointwise band
  double high = 0;
  std::size_t rank = 0;  // i, from 1
  bool outside = false;
};

// What a page needs to draw a sample and its model.
struct PlotPoints {
  struct Step {
    double x = 0;
    double share = 0;  // of values at or below x
  };
  struct Curve {
    double x = 0;
    double cdf = 0;
    double density = 0;
  };
  std::vector<Step> ecdf;
  std::vector<Curve> curve;
  std::vector<QuantilePoint> quantiles;
  std::vector<QuantilePoint> outside;  // all points found outside the band, ascending
  std::size_t checked = 0;             // points compared with the band: all of them up to 5000 values
  double level = 0.95;
  Band band = Band::order_statistics;
};

struct PlotOptions {
  std::size_t most_points = 500;  // of ecdf and quantiles, spread over the sample, all kept in short tails
  std::size_t grid = 200;         // of the curve
  double level = 0.95;            // pointwise: one value in twenty is outside a 95 % band by chance
  std::size_t repeats = 1000;     // for simulated bands
  std::uint64_t seed = 1;
};

// With the band from order statistics.
PlotPoints plot_points(std::span<const double> values, const Mixture& model, const PlotOptions& options = {});
// With the band from simulated refits, which hold for maxima fitted by fit_gev(); beyond 5000 values the
// band from order statistics is used, which then differs little.
PlotPoints plot_points(std::span<const double> values, const GevFit& fit, const PlotOptions& options = {});

}  // namespace weir::stats
