#include "surface/shepard/shepard.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/SVD>

#include "surface/shepard/neighbours.hpp"

namespace weir::surface {
namespace {

// Singular values below this share of the largest are noise of the weights, which span many orders of
// magnitude; on a grid the nearest points often lie in a line. Kept, such directions have slopes of any size.
constexpr double kTruncation = 0.03;
constexpr double kReach = 1.1;  // R_p over R
// How far beyond the measured values a local plane may lead, in shares of their range: where few points leave
// a slope to chance, a plane on a logarithmic scale leads anywhere.
constexpr double kBeyond = 0.25;

class Shepard final : public Predictor {
 public:
  Shepard(const Eigen::MatrixXd& at, const Eigen::VectorXd& value) : at_(at), value_(value) {
    const Eigen::Index n = at.rows();
    const Eigen::Index m = at.cols();
    const Eigen::Index wanted = std::min(n, (3 * m + 1) / 2);  // N_p, the point itself included
    slope_.setZero(m, n);
    radius_.resize(n);
    const NearestOfEach nearest(at, wanted - 1);
    for (Eigen::Index k = 0; k < n; ++k) fit_at(k, nearest);
    const double half = nearest.diameter() / 2;
    radius_ = radius_.cwiseMin(half);
    const double range = value.maxCoeff() - value.minCoeff();
    lowest_ = value.minCoeff() - kBeyond * range;
    highest_ = value.maxCoeff() + kBeyond * range;
  }

  Predictions predict(const Eigen::MatrixXd& at, bool /*with_variance*/) const override {
    Predictions made;
    made.value.resize(at.rows());
    made.outside.resize(static_cast<std::size_t>(at.rows()));
    Eigen::ArrayXd distances(at_.rows());
    for (Eigen::Index i = 0; i < at.rows(); ++i) {
      squared_distances(at_, at.row(i), distances);
      bool reached = false;
      made.value[i] = inside(at.row(i), distances, reached);
      if (!reached) made.value[i] = far_value(distances);
      made.outside[static_cast<std::size_t>(i)] = !reached;
    }
    return made;
  }

 private:
  // The slope of P_k: weighted least squares through (x_k, f_k), of minimum norm.
  void fit_at(Eigen::Index k, const NearestOfEach& nearest) {
    const auto& near = nearest.of(k);
    const double reach = std::sqrt(near.back().squared);
    radius_[k] = reach;
    if (reach == 0) return;
    const double wide = kReach * reach;
    const Eigen::Index m = at_.cols();
    system_.resize(static_cast<Eigen::Index>(near.size()), m);
    right_.resize(system_.rows());
    for (Eigen::Index j = 0; j < system_.rows(); ++j) {
      const Neighbour& other = near[static_cast<std::size_t>(j)];
      const double distance = std::sqrt(other.squared);
      const double root = (wide - distance) / (wide * distance);  // of the weight
      system_.row(j) = root * (at_.row(other.index) - at_.row(k));
      right_[j] = root * (value_[other.index] - value_[k]);
    }
    solver_.compute(system_, Eigen::ComputeThinU | Eigen::ComputeThinV);
    solver_.setThreshold(kTruncation);
    slope_.col(k) = solver_.solve(right_);
  }

  double inside(const Eigen::RowVectorXd& query, const Eigen::ArrayXd& distances, bool& reached) const {
    double above = 0;
    double below = 0;
    for (Eigen::Index k = 0; k < distances.size(); ++k) {
      const double reach = radius_[k];
      if (distances[k] >= reach * reach) continue;
      reached = true;
      const double distance = std::sqrt(distances[k]);
      if (distance == 0) return value_[k];
      const double root = (reach - distance) / (reach * distance);
      const double weight = root * root;
      const double local = value_[k] + (query - at_.row(k)).dot(slope_.col(k));
      above += weight * std::clamp(local, lowest_, highest_);
      below += weight;
    }
    if (!reached || below == 0) {
      reached = false;
      return 0;
    }
    return above / below;
  }

  double far_value(const Eigen::ArrayXd& distances) const {
    const auto near = smallest(distances, std::min(at_.rows(), at_.cols() + 1));
    if (near.front().squared == 0) return value_[near.front().index];
    double above = 0;
    double below = 0;
    for (const Neighbour& other : near) {
      above += value_[other.index] / other.squared;
      below += 1 / other.squared;
    }
    return above / below;
  }

  Eigen::MatrixXd at_;
  Eigen::VectorXd value_;
  double lowest_ = 0;  // of what a plane may give
  double highest_ = 0;
  Eigen::VectorXd radius_;  // R_w of each point
  Eigen::MatrixXd slope_;   // a column a point
  Eigen::MatrixXd system_;
  Eigen::VectorXd right_;
  Eigen::JacobiSVD<Eigen::MatrixXd> solver_;
};

}  // namespace

PredictorResult fit_shepard(const Eigen::MatrixXd& at, const Eigen::VectorXd& value) {
  if (at.rows() < 2) return Error{Errc::bad_data, "the Shepard method needs at least 2 configurations"};
  return std::unique_ptr<Predictor>(std::make_unique<Shepard>(at, value));
}

}  // namespace weir::surface
