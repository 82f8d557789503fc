#include "stats/detail/newton.hpp"

#include <cmath>

#include <Eigen/Cholesky>

namespace weir::stats::detail {
namespace {

constexpr int kMostIterations = 200;
constexpr double kSmallDecrement = 1e-10;  // twice the rise still to come, in units of log-likelihood
constexpr double kHopeless = 1e14;         // damping at which no step can rise any more

}  // namespace

Maximum maximise(const std::function<Quadratic(const Eigen::Vector3d&)>& function,
                 const Eigen::Vector3d& start, const std::array<bool, 3>& free) {
  Maximum best;
  best.at = start;
  best.there = function(start);
  if (!std::isfinite(best.there.value)) return best;
  double damping = 0;
  for (best.iterations = 1; best.iterations <= kMostIterations; ++best.iterations) {
    Eigen::Vector3d gradient = best.there.gradient;
    Eigen::Matrix3d curvature = -best.there.hessian;
    for (int i = 0; i < 3; ++i) {
      if (free[static_cast<std::size_t>(i)]) continue;
      gradient[i] = 0;
      curvature.row(i).setZero();
      curvature.col(i).setZero();
      curvature(i, i) = 1;
    }
    Eigen::Matrix3d damped = curvature;
    damped.diagonal() += damping * curvature.diagonal().cwiseAbs().cwiseMax(1e-12);
    const Eigen::LLT<Eigen::Matrix3d> factor(damped);
    if (factor.info() != Eigen::Success) {
      if (damping > kHopeless) return best;
      damping = damping == 0 ? 1e-3 : damping * 10;
      continue;
    }
    const Eigen::Vector3d step = factor.solve(gradient);
    const double decrement = gradient.dot(step);
    const Eigen::Vector3d candidate = best.at + step;
    Quadratic there = function(candidate);
    const bool settled = damping <= 0.1 && decrement < kSmallDecrement;
    // Close to the top rounding hides the rise: the step is then taken if it is feasible at all.
    const double rounding = 1e-13 * (1 + std::abs(best.there.value));
    const bool rose = there.value >= best.there.value + 1e-4 * decrement - rounding;
    if (rose || (settled && std::isfinite(there.value))) {
      best.at = candidate;
      best.there = there;
      damping = damping < 1e-4 ? 0 : damping / 10;
      if (settled) {
        best.converged = true;
        return best;
      }
    } else {
      if (settled) {  // already there: what is left is rounding
        best.converged = true;
        return best;
      }
      if (damping > kHopeless) return best;
      damping = damping == 0 ? 1e-3 : damping * 10;
    }
  }
  return best;
}

}  // namespace weir::stats::detail
