#pragma once

#include "surface/predictor.hpp"

namespace weir::surface {

// Piecewise linear interpolation over the Delaunay triangulation of distinct points, in any dimension. The
// triangulation is never built: a walk finds the simplex around each query. Queries beyond the convex hull
// get the value at the nearest point of the hull and are `outside`.
// Needs m + 1 points that do not lie in a plane.
PredictorResult fit_delaunay(const Eigen::MatrixXd& at, const Eigen::VectorXd& value);

}  // namespace weir::surface
