#pragma once

#include "surface/map_data.hpp"
#include "surface/model.hpp"

namespace weir::surface {

struct Proposal {
  Eigen::VectorXd at;     // in the map's units
  bool measured = false;  // more runs of a configuration that is there
  int runs = 0;
  double error_percent = 0;  // the map's expected error once this and all before are measured
};

struct Plan {
  std::vector<Proposal> steps;
  double error_percent = 0;  // expected now, over all candidates
  Eigen::Index candidates = 0;
};

struct ProposeOptions {
  int budget = 100;  // runs in all
  int batch = 0;     // runs of one proposal; 0: as many as a configuration usually has
  std::uint64_t seed = 1;
};

struct Candidates {
  Eigen::MatrixXd at;  // in the map's units
  bool drawn = false;  // at random: there are more combinations than can be gone through
};

// Combinations of measured values whose every pair of values was measured or has measured pairs in all four
// corners around it: a record larger than its file, never measured, is not proposed. At most `most`; measured
// ones come first. Where combinations are too many to go through they are drawn by the seed.
Result<Candidates> likely_configurations(const MapData& map, Eigen::Index most, std::uint64_t seed);

// What to measure next: again and again the batch of runs that lowers the expected squared error of a
// Gaussian process over all candidates most, on the logarithm of the response where that fits better. Repeats
// of measured configurations compete with new ones on equal terms: a batch anywhere is one more observation
// there, with the noise of so many runs.
Result<Plan> propose(const MapData& map, const Eigen::MatrixXd& candidates, const ProposeOptions& options);

}  // namespace weir::surface
