#pragma once

#include "surface/model.hpp"

namespace weir::surface {

// What cross-validation says about a method's errors on a map: measured over predicted where all of both are
// above 0, else measured minus predicted. Sorted.
struct Calibration {
  bool relative = false;
  std::vector<double> residuals;

  // The interval around a prediction that a new measurement falls into with the given probability.
  void widen(Prediction& prediction, double level) const;
};

Result<Calibration> calibrate(const MapData& map, Method method, const ModelOptions& options,
                              std::uint64_t seed, unsigned threads);

// Predictions with intervals: a Gaussian process from its own variance, other methods from the calibration.
std::vector<Prediction> predict_intervals(const Model& model, const Calibration& calibration,
                                          const Eigen::MatrixXd& at, double level);

}  // namespace weir::surface
