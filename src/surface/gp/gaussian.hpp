#pragma once

#include "surface/box.hpp"
#include "surface/gp/kernel.hpp"
#include "surface/method.hpp"
#include "surface/predictor.hpp"

namespace weir::surface {

// A Gaussian process with a constant mean, a Matérn kernel with a length for each coordinate, and noise.
// Kernel and settings are those of greatest likelihood, unless the options hold settings. Predictions have a
// variance.
class Gaussian final : public Predictor {
 public:
  Gaussian(Eigen::MatrixXd at, Eigen::VectorXd value, GaussianSettings settings);

  Predictions predict(const Eigen::MatrixXd& at, bool with_variance) const override;

  const GaussianSettings& settings() const { return settings_; }
  // Variance of the surface itself at each row, noise not counted, and the covariance of two sets of rows
  // given the data.
  Eigen::MatrixXd covariance(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) const;
  // K^-1 times each column: other values at the same points share the process.
  Eigen::MatrixXd solve(const Eigen::MatrixXd& columns) const;

 private:
  Eigen::MatrixXd at_;
  GaussianSettings settings_;
  Eigen::MatrixXd factor_;   // lower Cholesky factor of the covariance
  Eigen::VectorXd weights_;  // K^-1 (value - mean)
  Eigen::VectorXd ones_;     // L^-1 1
  double ones_squared_ = 0;
  double mean_ = 0;
  Box box_;
};

PredictorResult fit_gaussian(const Eigen::MatrixXd& at, const Eigen::VectorXd& value,
                             const MethodOptions& options);

// How badly a Gaussian process explains the values, per point: minus the log-likelihood on a part of them.
// For choosing among scalings.
double gaussian_misfit(const Eigen::MatrixXd& at, const Eigen::VectorXd& value, std::uint64_t seed);

}  // namespace weir::surface
