#include "surface/shepard/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weir::surface {
namespace {

// Keeps the `wanted` least of what it is offered, sorted; ties keep their order of arrival.
class Least {
 public:
  explicit Least(Eigen::Index wanted) : wanted_(static_cast<std::size_t>(wanted)) {
    kept_.reserve(wanted_ + 1);
  }

  double bound() const { return bound_; }
  void offer(Neighbour one) {
    if (one.squared >= bound_) return;
    const auto place = std::upper_bound(kept_.begin(), kept_.end(), one.squared,
                                        [](double value, const Neighbour& at) { return value < at.squared; });
    kept_.insert(place, one);
    if (kept_.size() > wanted_) kept_.pop_back();
    if (kept_.size() == wanted_) bound_ = kept_.back().squared;
  }
  std::vector<Neighbour> take() && { return std::move(kept_); }

 private:
  std::size_t wanted_;
  std::vector<Neighbour> kept_;
  double bound_ = std::numeric_limits<double>::infinity();
};

}  // namespace

void squared_distances(const Eigen::MatrixXd& at, const Eigen::RowVectorXd& query, Eigen::ArrayXd& to) {
  to = (at.col(0).array() - query[0]).square();
  for (Eigen::Index j = 1; j < at.cols(); ++j) to += (at.col(j).array() - query[j]).square();
}

std::vector<Neighbour> smallest(const Eigen::ArrayXd& distances, Eigen::Index wanted) {
  Least least(wanted);
  for (Eigen::Index i = 0; i < distances.size(); ++i)
    if (distances[i] < least.bound()) least.offer({distances[i], i});
  return std::move(least).take();
}

NearestOfEach::NearestOfEach(const Eigen::MatrixXd& at, Eigen::Index wanted) {
  near_.reserve(static_cast<std::size_t>(at.rows()));
  Eigen::ArrayXd distances(at.rows());
  double largest = 0;
  for (Eigen::Index row = 0; row < at.rows(); ++row) {
    squared_distances(at, at.row(row), distances);
    largest = std::max(largest, distances.maxCoeff());
    distances[row] = std::numeric_limits<double>::infinity();
    near_.push_back(smallest(distances, wanted));
  }
  diameter_ = std::sqrt(largest);
}

}  // namespace weir::surface
