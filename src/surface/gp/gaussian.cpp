#include "surface/gp/gaussian.hpp"

#include <algorithm>
#include <numeric>

#include <Eigen/Cholesky>

#include "base/random.hpp"
#include "surface/gp/likelihood.hpp"

namespace weir::surface {
namespace {

// Settings are found on some of the points: the likelihood costs the cube of their number, and a few hundred
// tell lengths and noise well enough.
constexpr Eigen::Index kToChoose = 200;
constexpr Eigen::Index kToRefine = 400;
constexpr double kJitter = 1e-8;
constexpr Eigen::Index kDense = 1200;
constexpr Eigen::Index kTested = 300;

// The mean error at held-out points from many others. Some hundred points of thousands lie too far apart for
// their likelihood to show how rough the surface is between near ones, which is what kernels differ in.
double dense_error(const Eigen::MatrixXd& at, const Eigen::VectorXd& value, const GaussianSettings& settings,
                   std::uint64_t seed) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(at.rows()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  Random random(seed, 78);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  const Eigen::Index tested = std::min(kTested, at.rows() / 5);
  const Eigen::Index used = std::min(kDense, at.rows() - tested);
  const std::vector<Eigen::Index> test(order.begin(), order.begin() + tested);
  const std::vector<Eigen::Index> train(order.begin() + tested, order.begin() + tested + used);
  const Gaussian process(at(train, Eigen::all), value(train), settings);
  return (process.predict(at(test, Eigen::all), false).value - value(test)).cwiseAbs().mean();
}

}  // namespace

Gaussian::Gaussian(Eigen::MatrixXd at, Eigen::VectorXd value, GaussianSettings settings)
    : at_(std::move(at)), settings_(std::move(settings)), box_(at_) {
  Eigen::MatrixXd matrix = settings_.signal * correlations(at_, at_, settings_);
  matrix.diagonal().array() += settings_.noise + kJitter * settings_.signal;
  Eigen::LLT<Eigen::MatrixXd> cholesky(matrix);
  for (double more = kJitter; cholesky.info() != Eigen::Success && more < 1; more *= 100) {
    matrix.diagonal().array() += more * settings_.signal;
    cholesky.compute(matrix);
  }
  factor_ = cholesky.matrixL();
  ones_ = factor_.triangularView<Eigen::Lower>().solve(Eigen::VectorXd::Ones(at_.rows()));
  ones_squared_ = ones_.squaredNorm();
  Eigen::VectorXd half = factor_.triangularView<Eigen::Lower>().solve(value);
  mean_ = half.dot(ones_) / ones_squared_;
  half -= mean_ * ones_;
  weights_ = factor_.triangularView<Eigen::Lower>().transpose().solve(half);
}

Predictions Gaussian::predict(const Eigen::MatrixXd& at, bool with_variance) const {
  Predictions made;
  const Eigen::MatrixXd across = settings_.signal * correlations(at_, at, settings_);
  made.value = (across.transpose() * weights_).array() + mean_;
  if (with_variance) {
    const Eigen::MatrixXd half = factor_.triangularView<Eigen::Lower>().solve(across);
    const Eigen::ArrayXd mean_part = (1 - (half.transpose() * ones_).array()).square() / ones_squared_;
    made.variance =
        (settings_.signal + settings_.noise - half.colwise().squaredNorm().transpose().array() + mean_part)
            .max(settings_.noise * 0.5);
  }
  made.outside = box_.outside(at);
  return made;
}

Eigen::MatrixXd Gaussian::covariance(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) const {
  const Eigen::MatrixXd half_a =
      factor_.triangularView<Eigen::Lower>().solve(settings_.signal * correlations(at_, a, settings_));
  const Eigen::MatrixXd half_b =
      factor_.triangularView<Eigen::Lower>().solve(settings_.signal * correlations(at_, b, settings_));
  const Eigen::VectorXd mean_a = (1 - (half_a.transpose() * ones_).array()).matrix();
  const Eigen::VectorXd mean_b = (1 - (half_b.transpose() * ones_).array()).matrix();
  return settings_.signal * correlations(a, b, settings_) - half_a.transpose() * half_b +
         mean_a * mean_b.transpose() / ones_squared_;
}

Eigen::MatrixXd Gaussian::solve(const Eigen::MatrixXd& columns) const {
  const auto lower = factor_.triangularView<Eigen::Lower>();
  return lower.transpose().solve(lower.solve(columns));
}

PredictorResult fit_gaussian(const Eigen::MatrixXd& at, const Eigen::VectorXd& value,
                             const MethodOptions& options) {
  if (at.rows() < 3) return Error{Errc::bad_data, "a Gaussian process needs at least 3 configurations"};
  if (!options.settings.empty()) {
    if (std::cmp_not_equal(options.settings.size(), 3 + at.cols()))
      return Error{Errc::bad_data, "settings of a Gaussian process with another number of coordinates"};
    return std::unique_ptr<Predictor>(
        std::make_unique<Gaussian>(at, value, GaussianSettings::from_numbers(options.settings)));
  }
  GaussianSearch best;
  double least = 0;
  for (const Kernel kernel : kKernels) {
    GaussianSearch found = maximise_likelihood(at, value, kernel, kToChoose, options.seed);
    const double badness = at.rows() > kToRefine ? dense_error(at, value, found.settings, options.seed)
                                                 : found.minus_log_likelihood;
    if (kernel != kKernels.front() && !(badness < least)) continue;
    least = badness;
    best = std::move(found);
  }
  if (at.rows() > kToChoose)
    best = maximise_likelihood(at, value, best.settings.kernel, kToRefine, options.seed, &best.settings);
  return std::unique_ptr<Predictor>(std::make_unique<Gaussian>(at, value, std::move(best.settings)));
}

double gaussian_misfit(const Eigen::MatrixXd& at, const Eigen::VectorXd& value, std::uint64_t seed) {
  return maximise_likelihood(at, value, Kernel::radial_3, kToChoose, seed).minus_log_likelihood;
}

}  // namespace weir::surface
