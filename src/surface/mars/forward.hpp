#pragma once

#include "surface/mars/mars.hpp"

namespace weir::surface {

// What the forward pass leaves for pruning: more terms than are worth keeping, linearly independent.
struct MarsBasis {
  std::vector<MarsTerm> terms;
  Eigen::MatrixXd columns;  // n x terms
};

MarsBasis mars_forward(const Eigen::MatrixXd& at, const Eigen::VectorXd& value, const MarsOptions& options);

// The value of a term at every row.
Eigen::VectorXd mars_column(const Eigen::MatrixXd& at, const MarsTerm& term);

}  // namespace weir::surface
