#pragma once

#include "surface/model.hpp"

namespace weir::surface {

// The scaling that the options fix, or among those they leave open the one with the smallest average relative
// error by cross-validation on at most some hundred of the rows. Deterministic.
Result<Scaling> choose_scaling(const std::vector<Factor>& factors, const Eigen::MatrixXd& at,
                               const Eigen::VectorXd& response, Method method, const ModelOptions& options);

}  // namespace weir::surface
