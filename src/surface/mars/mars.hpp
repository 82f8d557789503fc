#pragma once

#include "surface/box.hpp"
#include "surface/predictor.hpp"

namespace weir::surface {

// One basis function: a product of hinges max(0, ±(x_j - t)) and plain x_j.
struct MarsHinge {
  Eigen::Index factor = 0;
  double knot = 0;
  int side = 0;  // 1: (x - t)+, -1: (t - x)+, 0: x
};
using MarsTerm = std::vector<MarsHinge>;

struct MarsOptions {
  int degree = 3;            // most factors in one term
  int terms = 0;             // of the forward pass; 0: min(200, max(20, 2 m)) + 1, as R's earth
  double threshold = 0.001;  // the forward pass ends where R² gains less
  double penalty = -1;       // of a knot in GCV; below 0: 3, and 2 for degree 1
  int fast = 20;             // parents looked at in each step (Friedman's fast MARS); 0: all
};

// Multivariate adaptive regression splines: Friedman (1991, 1993), with the choices of R's earth.
class Mars final : public Predictor {
 public:
  static Result<std::unique_ptr<Mars>> fit(const Eigen::MatrixXd& at, const Eigen::VectorXd& value,
                                           const MarsOptions& options);

  Predictions predict(const Eigen::MatrixXd& at, bool with_variance) const override;

  const std::vector<MarsTerm>& terms() const { return terms_; }  // the first is the constant
  double gcv() const { return gcv_; }
  double rss() const { return rss_; }

 private:
  std::vector<MarsTerm> terms_;
  Eigen::VectorXd coefficients_;
  Box box_;
  double gcv_ = 0;
  double rss_ = 0;
};

// Generalised cross-validation of a model with so many terms: RSS/n / (1 - C/n)², C = terms + penalty (terms
// - 1)/2; infinite where C reaches n.
double mars_gcv(double rss, Eigen::Index n, Eigen::Index terms, double penalty);

}  // namespace weir::surface
