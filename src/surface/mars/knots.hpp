#pragma once

#include <vector>

#include <Eigen/Core>

namespace weir::surface {

// The search for the best knot of one factor under one parent term.
struct KnotSearch {
  Eigen::Ref<const Eigen::VectorXd> x;
  Eigen::Ref<const Eigen::VectorXd> parent;       // the parent term at every row
  const std::vector<Eigen::Index>& order;         // rows by descending x, the later first among equals
  Eigen::Ref<const Eigen::MatrixXd> orthonormal;  // a basis of the terms so far
  const Eigen::VectorXd& residual;                // of the fit to them
  Eigen::Index factors = 1;
  int parent_degree = 0;
};

struct KnotFound {
  double gain = 0;  // by which the residual sum of squares falls
  double knot = 0;
  bool linear = false;  // parent * x alone, without a knot, does as well
};

struct KnotScratch {
  Eigen::MatrixXd products;  // (terms + 1) x rows: parent times each basis vector and the linear part
  Eigen::VectorXd slopes;
  Eigen::VectorXd inner;
};

// Goes through the rows from the largest x down. With the sums of what lies above, moving the knot changes
// every inner product by a multiple of the step, so a candidate costs one pass over the terms (Friedman 1991,
// equation 52).
KnotFound find_knot(const KnotSearch& search, KnotScratch& scratch);

// Rows that must lie beyond the outermost knots, and between neighbouring ones (Friedman 1991, equations 43
// and 45, with alpha = 0.05; for products earth's Adjust.endspan of 2 adds twice the span).
Eigen::Index end_span(Eigen::Index factors, Eigen::Index rows, int parent_degree);
Eigen::Index least_span(Eigen::Index factors, Eigen::Index rows);

}  // namespace weir::surface
