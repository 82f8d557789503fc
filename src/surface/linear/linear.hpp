#pragma once

#include "surface/predictor.hpp"

namespace weir::surface {

// Least squares on the coordinates, and on their pairwise products where asked for. Collinear columns share
// their coefficient (minimum norm), so that it always has an answer.
PredictorResult fit_linear(const Eigen::MatrixXd& at, const Eigen::VectorXd& value, bool interactions);

}  // namespace weir::surface
