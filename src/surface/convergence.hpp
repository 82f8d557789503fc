#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "surface/map_data.hpp"

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

// The central interval of the statistic of n runs drawn with replacement, for n = first .. last.
struct IntervalCurve {
  std::vector<double> low;
  std::vector<double> high;
  std::vector<double> width;  // w(n): never grows with n
};

IntervalCurve interval_curve(std::span<const double> runs, const Statistic& statistic,
                             const ConvergenceOptions& options, std::uint64_t stream);

// c(n) = (w(first) - w(n)) / (w(first) - w(last)), and the least n at which it reaches a share; 0 where w
// does not fall at all.
double converged_share(const std::vector<double>& widths, int first, int runs);
int runs_to_reach(const std::vector<double>& widths, int first, double share);

// The intervals of every configuration of a map that has three runs or more and not all alike.
struct MapConvergence {
  std::vector<Eigen::Index> rows;  // of the map
  std::vector<IntervalCurve> measured;
  std::vector<std::string> notes;  // what was left out
};

Result<MapConvergence> converge(const MapData& map, const ConvergenceOptions& options);

}  // namespace weir::surface
