#pragma once

#include <Eigen/Core>

namespace weir::surface {

// The point of the convex hull of the rows of `at` that is nearest to the query, by the algorithm of Wolfe
// (1976): exact in finitely many steps, without making the hull.
Eigen::VectorXd project_onto_hull(const Eigen::MatrixXd& at, const Eigen::VectorXd& query);

}  // namespace weir::surface
