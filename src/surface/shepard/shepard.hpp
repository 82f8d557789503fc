#pragma once

#include "surface/predictor.hpp"

namespace weir::surface {

// The modified linear Shepard method (Thacker et al., Algorithm 905, 2010; Cameron et al. 2018, section 5.1),
// for any number of distinct points from 2 on. Where no point's radius reaches, inverse-square weights of the
// m + 1 nearest values; the query is then `outside`.
PredictorResult fit_shepard(const Eigen::MatrixXd& at, const Eigen::VectorXd& value);

}  // namespace weir::surface
