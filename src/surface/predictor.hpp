#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

#include "base/result.hpp"

namespace weir::surface {

struct Predictions {
  Eigen::VectorXd value;
  Eigen::VectorXd variance;   // of a new measurement there; empty where the method has no notion of it
  std::vector<bool> outside;  // beyond what was measured: extrapolated, projected or from far values
};

// A function fitted to values at points. Thread-safe once made.
class Predictor {
 public:
  Predictor() = default;
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;
  virtual ~Predictor() = default;

  // One row of `at` a query.
  virtual Predictions predict(const Eigen::MatrixXd& at, bool with_variance) const = 0;
};

using PredictorResult = Result<std::unique_ptr<Predictor>>;

}  // namespace weir::surface
