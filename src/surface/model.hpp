#pragma once

#include <memory>
#include <optional>

#include "surface/map_data.hpp"
#include "surface/method.hpp"
#include "surface/scaling.hpp"

namespace weir::surface {

// How a map is to be fitted.
struct ModelOptions {
  MethodOptions method;
  // The response as it is or its logarithm; without, what cross-validation prefers among those possible.
  std::optional<bool> log_value = {};
  // What factors with an automatic scale become; without, what cross-validation prefers.
  std::optional<bool> geometric_in_log = {};
};

struct Prediction {
  double value = 0;
  double low = 0;  // of the central interval for a new measurement; NaN where the method has none
  double high = 0;
  bool outside = false;
};

// A fitted map: configurations in, responses out.
class Model {
 public:
  // Fits `rows` of the map (all of them where empty).
  static Result<Model> fit(const MapData& map, Method method, const ModelOptions& options,
                           const std::vector<Eigen::Index>& rows = {});

  // The predicted response at each row of `at` (in the map's units).
  Eigen::VectorXd predict(const Eigen::MatrixXd& at) const;
  // The responses that the predictor's answers stand for; a Gaussian process's have a variance.
  Eigen::VectorXd responses(const Predictions& made) const;
  Method method() const { return method_; }
  const Scaling& scaling() const { return *scaling_; }
  const Predictor& predictor() const { return *predictor_; }
  const MethodOptions& options() const { return options_; }

 private:
  Model() = default;
  Method method_ = Method::linear;
  MethodOptions options_;
  std::shared_ptr<const Scaling> scaling_;
  std::shared_ptr<const Predictor> predictor_;
};

// Fits a method to coordinates and values as they are.
PredictorResult fit_method(Method method, const Eigen::MatrixXd& at, const Eigen::VectorXd& value,
                           const MethodOptions& options);

}  // namespace weir::surface
