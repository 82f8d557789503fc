#include "surface/delaunay/hull.hpp"

#include <algorithm>
#include <vector>

#include <Eigen/Cholesky>

namespace weir::surface {
namespace {

constexpr int kMostSteps = 1000;
constexpr double kTolerance = 1e-12;

// The point of least norm in the affine hull of the rows, as weights that add up to 1.
Eigen::VectorXd affine_least(const Eigen::MatrixXd& rows, double size) {
  const Eigen::MatrixXd gram =
      rows * rows.transpose() + size * Eigen::MatrixXd::Ones(rows.rows(), rows.rows());
  const Eigen::VectorXd solved = gram.ldlt().solve(Eigen::VectorXd::Ones(rows.rows()));
  return solved / solved.sum();
}

}  // namespace

Eigen::VectorXd project_onto_hull(const Eigen::MatrixXd& at, const Eigen::VectorXd& query) {
  const Eigen::MatrixXd from = at.rowwise() - query.transpose();
  const Eigen::VectorXd squared = from.rowwise().squaredNorm();
  const double size = squared.maxCoeff();
  std::vector<Eigen::Index> active(1);
  squared.minCoeff(active.data());
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(1);
  Eigen::VectorXd nearest = from.row(active.front()).transpose();
  for (int step = 0; step < kMostSteps; ++step) {
    Eigen::Index entering = 0;
    const double least = (from * nearest).minCoeff(&entering);
    if (least >= nearest.squaredNorm() - kTolerance * size) break;
    if (std::find(active.begin(), active.end(), entering) != active.end()) break;
    active.push_back(entering);
    weights.conservativeResize(weights.size() + 1);
    weights[weights.size() - 1] = 0;
    while (true) {
      const Eigen::VectorXd target = affine_least(from(active, Eigen::all), size);
      if (target.minCoeff() > kTolerance || active.size() == 1) {
        weights = target;
        break;
      }
      // As far towards the target as all weights stay at or above 0; who reaches 0 leaves.
      double share = 1;
      for (Eigen::Index i = 0; i < target.size(); ++i)
        if (target[i] <= kTolerance && weights[i] > target[i])
          share = std::min(share, weights[i] / (weights[i] - target[i]));
      weights += share * (target - weights);
      std::vector<Eigen::Index> still;
      std::vector<double> kept;
      for (std::size_t i = 0; i < active.size(); ++i) {
        const double weight = weights[static_cast<Eigen::Index>(i)];
        if (weight <= kTolerance) continue;
        still.push_back(active[i]);
        kept.push_back(weight);
      }
      if (still.empty() || still.size() == active.size()) break;
      active = std::move(still);
      weights = Eigen::Map<const Eigen::VectorXd>(kept.data(), static_cast<Eigen::Index>(kept.size()));
      weights /= weights.sum();
    }
    nearest = from(active, Eigen::all).transpose() * weights;
  }
  return query + nearest;
}

}  // namespace weir::surface
