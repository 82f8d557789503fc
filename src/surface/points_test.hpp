#pragma once

#include <array>
#include <cmath>

#include <Eigen/Core>

// Points and values that any language computes alike, for comparisons with other implementations: the
// fractional parts of multiples of square roots of primes.
namespace weir::surface::points {

inline Eigen::MatrixXd weyl(Eigen::Index n, Eigen::Index m, int shift = 0) {
  constexpr std::array<double, 6> kPrimes = {2, 3, 5, 7, 11, 13};
  Eigen::MatrixXd at(n, m);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < m; ++j)
      at(i, j) = std::fmod(
          static_cast<double>(i + 1 + shift) * std::sqrt(kPrimes[static_cast<std::size_t>(j)]), 1.0);
  return at;
}

// sin(3 x_1) + |x|² + x_1 x_m
inline Eigen::VectorXd bumpy(const Eigen::MatrixXd& at) {
  return (3 * at.col(0).array()).sin() + at.array().square().rowwise().sum() +
         at.col(0).array() * at.col(at.cols() - 1).array();
}

// A grid of `levels` values 0, 1, ... in each of m coordinates.
inline Eigen::MatrixXd grid(int levels, int m) {
  const auto n = static_cast<Eigen::Index>(std::pow(levels, m) + 0.5);
  Eigen::MatrixXd at(n, m);
  for (Eigen::Index i = 0; i < n; ++i) {
    Eigen::Index rest = i;
    for (Eigen::Index j = 0; j < m; ++j, rest /= levels) at(i, j) = static_cast<double>(rest % levels);
  }
  return at;
}

}  // namespace weir::surface::points
