#pragma once

#include <vector>

#include <Eigen/Core>

namespace weir::surface {

struct Neighbour {
  double squared = 0;  // distance
  Eigen::Index index = 0;
};

// Squared distances of every row of `at` to the query.
void squared_distances(const Eigen::MatrixXd& at, const Eigen::RowVectorXd& query, Eigen::ArrayXd& to);

// The `wanted` smallest in ascending order; of equal ones those that come first.
std::vector<Neighbour> smallest(const Eigen::ArrayXd& distances, Eigen::Index wanted);

// The nearest other rows of every row, and the largest distance of any two, by looking at all pairs: maps
// have up to some ten thousand points, and a tree gains nothing on grids of many factors.
class NearestOfEach {
 public:
  NearestOfEach(const Eigen::MatrixXd& at, Eigen::Index wanted);

  const std::vector<Neighbour>& of(Eigen::Index row) const { return near_[static_cast<std::size_t>(row)]; }
  double diameter() const { return diameter_; }

 private:
  std::vector<std::vector<Neighbour>> near_;
  double diameter_ = 0;
};

}  // namespace weir::surface
