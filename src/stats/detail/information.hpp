#pragma once

#include <Eigen/Core>

#include "base/result.hpp"
#include "stats/mixture.hpp"

namespace weir::stats::detail {

// Order of a mixture's parameters in vectors and matrices: the weights of all components but the last,
// then all locations, all scales and, for the GEV, all shapes.

// ∂ log f/∂θ at x.
Eigen::VectorXd mixture_score(const Mixture& mixture, double x);
// ∂F/∂θ at x. The last weight is 1 minus the others, so ∂F/∂π_j = F_j - F_k (the source's A.9 lacks F_k).
Eigen::VectorXd mixture_cdf_gradient(const Mixture& mixture, double x);

// The expected Fisher information of one value, E[score scoreᵀ] = -E[∂² log f/∂θ²] (the source's A.4 lacks
// the logarithm), by adaptive Gauss-Kronrod quadrature between the components' quantiles. An Error where it
// does not exist (GEV shape at or below -1/2).
Result<Eigen::MatrixXd> expected_information(const Mixture& mixture);

}  // namespace weir::stats::detail
