#pragma once

#include "surface/convergence.hpp"
#include "surface/model.hpp"

namespace weir::surface {

// In percent of what was measured, or of what resampling gives: means over configurations.
struct IntervalError {
  double width = 0;
  double low = 0;
  double high = 0;
};

struct ConvergenceScore {
  int runs = 0;
  IntervalError predicted;
  // Of an oracle that knows the true distribution: the interval from so many runs is itself off by that much.
  IntervalError floor;
};

// Configurations that were held out and predicted from the others.
struct HeldOutConvergence {
  std::vector<std::size_t> places;          // in MapConvergence::rows
  std::vector<std::vector<double>> widths;  // predicted, by place
  std::vector<ConvergenceScore> scores;     // at the numbers of runs asked for
};

// Holds out a share of the configurations and predicts their intervals, one surface for each number of runs.
Result<HeldOutConvergence> predict_held_out(const MapConvergence& convergence, const MapData& map,
                                            double train_share, Method method, const ModelOptions& model,
                                            const std::vector<int>& scored_at,
                                            const ConvergenceOptions& options);

// The widths at configurations that were not measured (rows of `at`, in the map's units).
Result<std::vector<std::vector<double>>> predict_widths(const MapConvergence& convergence, const MapData& map,
                                                        const Eigen::MatrixXd& at, Method method,
                                                        const ModelOptions& model,
                                                        const ConvergenceOptions& options);

}  // namespace weir::surface
