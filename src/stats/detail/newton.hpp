#pragma once

#include <array>
#include <functional>

#include <Eigen/Core>

namespace weir::stats::detail {

// A function of three variables with its derivatives at one point. Infeasible: the value is -inf.
struct Quadratic {
  double value = 0;
  Eigen::Vector3d gradient = Eigen::Vector3d::Zero();
  Eigen::Matrix3d hessian = Eigen::Matrix3d::Zero();
};

struct Maximum {
  Eigen::Vector3d at = Eigen::Vector3d::Zero();
  Quadratic there;
  int iterations = 0;
  bool converged = false;  // the Newton step is below a hundred-thousandth of a standard error
};

// Newton's method for a maximum from a feasible start, damped as by Levenberg where the function is not
// concave or a step does not rise; the damping follows the curvatures, so the units of the variables do
// not matter. Variables with free[i] false keep their value.
Maximum maximise(const std::function<Quadratic(const Eigen::Vector3d&)>& function,
                 const Eigen::Vector3d& start, const std::array<bool, 3>& free);

}  // namespace weir::stats::detail
