#include "surface/model.hpp"

#include <algorithm>
#include <cmath>

#include "surface/delaunay/delaunay.hpp"
#include "surface/gp/gaussian.hpp"
#include "surface/linear/linear.hpp"
#include "surface/mars/mars.hpp"
#include "surface/scale_choice.hpp"
#include "surface/shepard/shepard.hpp"

namespace weir::surface {
namespace {

// Where the logarithm is normal with variance v, the expected relative error |f - y| / y is least for
// f = exp(mean - v): an estimate too high costs more than one as much too low. Far from all data v is large
// and says little about the loss, so it lowers an estimate by at most this.
constexpr double kMostLowered = 0.25;

}  // namespace

PredictorResult fit_method(Method method, const Eigen::MatrixXd& at, const Eigen::VectorXd& value,
                           const MethodOptions& options) {
  switch (method) {
    case Method::linear:
      return fit_linear(at, value, options.interactions);
    case Method::shepard:
      return fit_shepard(at, value);
    case Method::mars: {
      auto fitted = Mars::fit(at, value, {.degree = options.degree, .terms = options.terms});
      if (!fitted) return fitted.error();
      return std::unique_ptr<Predictor>(*std::move(fitted));
    }
    case Method::delaunay:
      return fit_delaunay(at, value);
    case Method::gaussian:
      return fit_gaussian(at, value, options);
  }
  return Error{Errc::internal, "an unknown method"};
}

Result<Model> Model::fit(const MapData& map, Method method, const ModelOptions& options,
                         const std::vector<Eigen::Index>& rows) {
  const Eigen::MatrixXd at = rows.empty() ? map.at : Eigen::MatrixXd(map.at(rows, Eigen::all));
  const Eigen::VectorXd response = rows.empty() ? map.value : Eigen::VectorXd(map.value(rows));
  auto scaling = choose_scaling(map.factors, at, response, method, options);
  if (!scaling) return scaling.error();
  auto predictor = fit_method(method, scaling->coordinates(at), scaling->values(response), options.method);
  if (!predictor) return predictor.error();
  Model model;
  model.method_ = method;
  model.options_ = options.method;
  model.scaling_ = std::make_shared<const Scaling>(*std::move(scaling));
  model.predictor_ = *std::move(predictor);
  return model;
}

Eigen::VectorXd Model::predict(const Eigen::MatrixXd& at) const {
  const bool with_variance = scaling_->log_value() && method_ == Method::gaussian;
  return responses(predictor_->predict(scaling_->coordinates(at), with_variance));
}

Eigen::VectorXd Model::responses(const Predictions& made) const {
  const bool weigh = scaling_->log_value() && method_ == Method::gaussian;
  Eigen::VectorXd response(made.value.size());
  for (Eigen::Index i = 0; i < response.size(); ++i)
    response[i] = scaling_->response(made.value[i] - (weigh ? std::min(made.variance[i], kMostLowered) : 0));
  return response;
}

}  // namespace weir::surface
