#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "surface/map_data.hpp"
#include "surface/model.hpp"

namespace weir::surface {

// How a statistic's bootstrap interval narrows as runs are added (Cameron et al. 2018, section 6).
struct ConvergenceOptions {
  int first = 10;  // runs
  int last = 40;
  double level = 0.9;  // of the interval
  int resamples = 1000;
  std::uint64_t seed = 1;
  unsigned threads = 0;
};

// w(n) for n = first .. last: the width of the central interval of the statistic of n runs drawn with
// replacement. Never grows with n.
std::vector<double> interval_widths(std::span<const double> runs, const Statistic& statistic,
                                    const ConvergenceOptions& options, std::uint64_t stream);

// c(n) = (w(first) - w(n)) / (w(first) - w(last)), and the least n at which it reaches a share; 0 where w
// does not fall at all.
double converged_share(const std::vector<double>& widths, int first, int runs);
int runs_to_reach(const std::vector<double>& widths, int first, double share);

// The widths of every configuration of a map that has more than one run.
struct MapConvergence {
  std::vector<Eigen::Index> rows;             // of the map
  std::vector<std::vector<double>> measured;  // widths, by row
  // Of configurations that were held out, predicted from the others; empty where none were asked for.
  std::vector<std::size_t> held_out;           // places in rows
  std::vector<std::vector<double>> predicted;  // by held_out
  // Mean over held-out configurations of |predicted - measured| / measured at a number of runs, in percent.
  double width_error_percent(int first, int runs) const;
};

Result<MapConvergence> converge(const MapData& map, const ConvergenceOptions& options);
// Holds out a share of the configurations and predicts their widths, one surface for each number of runs.
Result<void> predict_convergence(MapConvergence& convergence, const MapData& map, double train_share,
                                 Method method, const ModelOptions& model, const ConvergenceOptions& options);

}  // namespace weir::surface
