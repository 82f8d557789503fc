#pragma once

#include <vector>

#include <Eigen/Core>

namespace weir::surface {

// The ranges of the coordinates that were measured.
struct Box {
  Eigen::RowVectorXd low;
  Eigen::RowVectorXd high;

  Box() = default;
  explicit Box(const Eigen::MatrixXd& at) : low(at.colwise().minCoeff()), high(at.colwise().maxCoeff()) {}

  // Which rows lie beyond a range.
  std::vector<bool> outside(const Eigen::MatrixXd& at) const {
    std::vector<bool> beyond;
    for (Eigen::Index i = 0; i < at.rows(); ++i)
      beyond.push_back((at.row(i).array() < low.array()).any() || (at.row(i).array() > high.array()).any());
    return beyond;
  }
};

}  // namespace weir::surface
