#include "surface/linear/linear.hpp"

#include <Eigen/QR>

namespace weir::surface {
namespace {

class Linear final : public Predictor {
 public:
  Linear(const Eigen::MatrixXd& at, const Eigen::VectorXd& value, bool interactions)
      : low_(at.colwise().minCoeff()), high_(at.colwise().maxCoeff()), interactions_(interactions) {
    // Centred and scaled columns keep raw units of any size well conditioned.
    centre_ = at.colwise().mean();
    width_ = (high_ - low_).unaryExpr([](double width) { return width > 0 ? width : 1.0; });
    const Eigen::MatrixXd terms = expand(at);
    const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(terms);
    coefficients_ = solver.solve(value);
    const Eigen::Index rank = solver.rank();
    const double squares = (value - terms * coefficients_).squaredNorm();
    residual_variance_ = at.rows() > rank ? squares / static_cast<double>(at.rows() - rank) : 0;
    inverse_ =
        Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(terms.transpose() * terms).pseudoInverse();
  }

  Predictions predict(const Eigen::MatrixXd& at, bool with_variance) const override {
    Predictions made;
    const Eigen::MatrixXd terms = expand(at);
    made.value = terms * coefficients_;
    if (with_variance)
      made.variance =
          residual_variance_ * (1 + (terms * inverse_).cwiseProduct(terms).rowwise().sum().array());
    made.outside.resize(static_cast<std::size_t>(at.rows()));
    for (Eigen::Index i = 0; i < at.rows(); ++i)
      made.outside[static_cast<std::size_t>(i)] =
          (at.row(i).array() < low_.array()).any() || (at.row(i).array() > high_.array()).any();
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

  Eigen::RowVectorXd low_;
  Eigen::RowVectorXd high_;
  bool interactions_;
  Eigen::RowVectorXd centre_;
  Eigen::RowVectorXd width_;
  Eigen::VectorXd coefficients_;
  Eigen::MatrixXd inverse_;
  double residual_variance_ = 0;
};

}  // namespace

PredictorResult fit_linear(const Eigen::MatrixXd& at, const Eigen::VectorXd& value, bool interactions) {
  if (at.rows() < 2) return Error{Errc::bad_data, "a line needs at least 2 configurations"};
  return std::unique_ptr<Predictor>(std::make_unique<Linear>(at, value, interactions));
}

}  // namespace weir::surface
