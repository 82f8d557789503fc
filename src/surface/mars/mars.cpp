#include "surface/mars/mars.hpp"

#include <cmath>
#include <limits>

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "surface/mars/forward.hpp"

namespace weir::surface {
namespace {

// Backward elimination: drops the term that costs least, again and again, and keeps the subset of least GCV.
// Deleting term j raises the residual sum of squares by b_j² / (G^-1)_jj, G the Gram matrix of what is left.
std::vector<Eigen::Index> prune(const Eigen::MatrixXd& columns, const Eigen::VectorXd& value,
                                double penalty) {
  const Eigen::Index n = columns.rows();
  std::vector<Eigen::Index> kept(static_cast<std::size_t>(columns.cols()));
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = static_cast<Eigen::Index>(i);
  // In orthonormal coordinates the problem is as small as the number of terms.
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns);
  const Eigen::MatrixXd upper = qr.matrixQR().topRows(columns.cols()).triangularView<Eigen::Upper>();
  const Eigen::VectorXd rotated = qr.householderQ().transpose() * value;
  const Eigen::VectorXd target = rotated.head(columns.cols());
  double rss = rotated.tail(n - columns.cols()).squaredNorm();

  std::vector<Eigen::Index> best = kept;
  double best_gcv = mars_gcv(rss, n, columns.cols(), penalty);
  while (kept.size() > 1) {
    const Eigen::MatrixXd part = upper(Eigen::all, kept);
    const Eigen::MatrixXd triangle = Eigen::HouseholderQR<Eigen::MatrixXd>(part)
                                         .matrixQR()
                                         .topRows(part.cols())
                                         .triangularView<Eigen::Upper>();
    const Eigen::MatrixXd inverse =
        triangle.triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(part.cols(), part.cols()));
    const Eigen::VectorXd coefficients = inverse * (inverse.transpose() * (part.transpose() * target));
    std::size_t cheapest = 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = 1; j < kept.size(); ++j) {  // the constant stays
      const auto at = static_cast<Eigen::Index>(j);
      const double cost = coefficients[at] * coefficients[at] / inverse.row(at).squaredNorm();
      if (cost < least) {
        least = cost;
        cheapest = j;
      }
    }
    rss += least;
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(cheapest));
    const double gcv = mars_gcv(rss, n, static_cast<Eigen::Index>(kept.size()), penalty);
    if (gcv <= best_gcv) {
      best_gcv = gcv;
      best = kept;
    }
  }
  return best;
}

}  // namespace

double mars_gcv(double rss, Eigen::Index n, Eigen::Index terms, double penalty) {
  const double parameters = static_cast<double>(terms) + penalty * static_cast<double>(terms - 1) / 2;
  const auto rows = static_cast<double>(n);
  if (parameters >= rows) return std::numeric_limits<double>::infinity();
  const double left = 1 - parameters / rows;
  return rss / rows / (left * left);
}

Result<std::unique_ptr<Mars>> Mars::fit(const Eigen::MatrixXd& at, const Eigen::VectorXd& value,
                                        const MarsOptions& options) {
  if (at.rows() < 3) return Error{Errc::bad_data, "MARS needs at least 3 configurations"};
  // Values of any size are fitted as if they were of size 1, so that tolerances mean the same.
  const double centre = value.mean();
  const double size = std::sqrt((value.array() - centre).square().mean());
  const Eigen::VectorXd scaled = (value.array() - centre) / (size > 0 ? size : 1);
  const MarsBasis basis = mars_forward(at, scaled, options);
  const double penalty = options.penalty >= 0 ? options.penalty : options.degree > 1 ? 3 : 2;
  const auto kept = prune(basis.columns, scaled, penalty);

  auto model = std::make_unique<Mars>();
  const Eigen::MatrixXd columns = basis.columns(Eigen::all, kept);
  model->coefficients_ = columns.colPivHouseholderQr().solve(value);
  for (const Eigen::Index index : kept) model->terms_.push_back(basis.terms[static_cast<std::size_t>(index)]);
  model->rss_ = (value - columns * model->coefficients_).squaredNorm();
  model->gcv_ = mars_gcv(model->rss_, at.rows(), columns.cols(), penalty);
  model->box_ = Box(at);
  return model;
}

Predictions Mars::predict(const Eigen::MatrixXd& at, bool /*with_variance*/) const {
  Predictions made;
  made.value.setZero(at.rows());
  for (std::size_t t = 0; t < terms_.size(); ++t)
    made.value += coefficients_[static_cast<Eigen::Index>(t)] * mars_column(at, terms_[t]);
  made.outside = box_.outside(at);
  return made;
}

}  // namespace weir::surface
