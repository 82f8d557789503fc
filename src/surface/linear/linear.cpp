#include "surface/linear/linear.hpp"

#include <Eigen/QR>

#include "surface/box.hpp"

namespace weir::surface {
namespace {

class Linear final : public Predictor {
 public:
  Linear(const Eigen::MatrixXd& at, const Eigen::VectorXd& value, bool interactions)
      : box_(at), interactions_(interactions) {
    // Centred and scaled columns keep raw units of any size well conditioned.
    centre_ = at.colwise().mean();
    width_ = (box_.high - box_.low).unaryExpr([](double width) { return width > 0 ? width : 1.0; });
    const Eigen::MatrixXd terms = expand(at);
    coefficients_ = terms.completeOrthogonalDecomposition().solve(value);
  }

  Predictions predict(const Eigen::MatrixXd& at, bool /*with_variance*/) const override {
    Predictions made;
    made.value = expand(at) * coefficients_;
    made.outside = box_.outside(at);
    return made;
  }

 private:
  Eigen::MatrixXd expand(const Eigen::MatrixXd& at) const {
    const Eigen::Index m = at.cols();
    Eigen::MatrixXd terms(at.rows(), 1 + m + (interactions_ ? m * (m - 1) / 2 : 0));
    terms.col(0).setOnes();
    for (Eigen::Index j = 0; j < m; ++j) terms.col(1 + j) = (at.col(j).array() - centre_[j]) / width_[j];
    if (!interactions_) return terms;
    Eigen::Index next = 1 + m;
    for (Eigen::Index j = 0; j < m; ++j)
      for (Eigen::Index k = j + 1; k < m; ++k)
        terms.col(next++) = terms.col(1 + j).cwiseProduct(terms.col(1 + k));
    return terms;
  }

  Box box_;
  bool interactions_;
  Eigen::RowVectorXd centre_;
  Eigen::RowVectorXd width_;
  Eigen::VectorXd coefficients_;
};

}  // namespace

PredictorResult fit_linear(const Eigen::MatrixXd& at, const Eigen::VectorXd& value, bool interactions) {
  if (at.rows() < 2) return Error{Errc::bad_data, "a line needs at least 2 configurations"};
  return std::unique_ptr<Predictor>(std::make_unique<Linear>(at, value, interactions));
}

}  // namespace weir::surface
