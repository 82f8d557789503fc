#include "surface/gp/likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/Cholesky>
#include <nlopt.h>

#include "base/random.hpp"

namespace weir::surface {
namespace {

constexpr int kMostEvaluations = 60;
constexpr double kJitter = 1e-8;  // of the signal: keeps the matrix regular without noise
constexpr double kEnough = 1e-4;  // change of the likelihood per point that ends the search

// Minus the log-likelihood per point and its gradient, by the logarithms of lengths, signal and noise.
class Likelihood {
 public:
  Likelihood(const Eigen::MatrixXd& at, const Eigen::VectorXd& value, Kernel kernel)
      : value_(value), kernel_(kernel), n_(at.rows()), m_(at.cols()) {
    pairs_.resize(n_ * (n_ - 1) / 2, m_);
    Eigen::Index pair = 0;
    for (Eigen::Index i = 0; i < n_; ++i)
      for (Eigen::Index k = i + 1; k < n_; ++k) pairs_.row(pair++) = (at.row(k) - at.row(i)).cwiseAbs();
  }

  GaussianSettings settings(const double* logs) const {
    GaussianSettings made;
    made.kernel = kernel_;
    made.lengths.resize(m_);
    for (Eigen::Index j = 0; j < m_; ++j) made.lengths[j] = std::exp(logs[j]);
    made.signal = std::exp(logs[m_]);
    made.noise = std::exp(logs[m_ + 1]);
    return made;
  }

  double operator()(const double* logs, double* gradient) {
    const GaussianSettings settings = this->settings(logs);
    correlate_pairs(pairs_, settings, correlation_, slopes_);
    fill(settings);
    factor_.compute(matrix_);
    if (factor_.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
    const Eigen::VectorXd ones = factor_.solve(Eigen::VectorXd::Ones(n_));
    Eigen::VectorXd weights = factor_.solve(value_);
    const double mean = weights.sum() / ones.sum();
    weights -= mean * ones;
    const double fit = (value_.array() - mean).matrix().dot(weights);
    const double determinant = 2 * factor_.matrixLLT().diagonal().array().log().sum();
    if (gradient != nullptr) differentiate(settings, weights, gradient);
    return 0.5 * (fit + determinant + static_cast<double>(n_) * std::log(2 * M_PI)) / static_cast<double>(n_);
  }

 private:
  void fill(const GaussianSettings& settings) {
    matrix_.resize(n_, n_);
    Eigen::Index pair = 0;
    for (Eigen::Index i = 0; i < n_; ++i) {
      const Eigen::Index below = n_ - i - 1;
      matrix_(i, i) = settings.signal * (1 + kJitter) + settings.noise;
      matrix_.col(i).tail(below) = settings.signal * correlation_.segment(pair, below).matrix();
      pair += below;
    }
  }

  // 1/2 tr((K^-1 - w w') dK), over the pairs below the diagonal twice.
  void differentiate(const GaussianSettings& settings, const Eigen::VectorXd& weights, double* gradient) {
    Eigen::MatrixXd inverse = factor_.solve(Eigen::MatrixXd::Identity(n_, n_));
    inverse.noalias() -= weights * weights.transpose();
    Eigen::ArrayXd off(pairs_.rows());
    Eigen::Index pair = 0;
    for (Eigen::Index i = 0; i < n_; ++i) {
      const Eigen::Index below = n_ - i - 1;
      off.segment(pair, below) = inverse.col(i).tail(below).array();
      pair += below;
    }
    const auto n = static_cast<double>(n_);
    for (Eigen::Index j = 0; j < m_; ++j) gradient[j] = settings.signal * (off * slopes_.col(j)).sum() / n;
    const double trace = inverse.trace();
    gradient[m_] = settings.signal * ((off * correlation_).sum() + 0.5 * (1 + kJitter) * trace) / n;
    gradient[m_ + 1] = 0.5 * settings.noise * trace / n;
  }

  const Eigen::VectorXd value_;
  Kernel kernel_;
  Eigen::Index n_;
  Eigen::Index m_;
  Eigen::MatrixXd pairs_;
  Eigen::ArrayXd correlation_;
  Eigen::ArrayXXd slopes_;
  Eigen::MatrixXd matrix_;  // the lower triangle
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

double objective(unsigned /*n*/, const double* logs, double* gradient, void* data) {
  const double value = (*static_cast<Likelihood*>(data))(logs, gradient);
  return std::isfinite(value) ? value : 1e10;
}

std::vector<Eigen::Index> drawn_rows(Eigen::Index n, Eigen::Index most, std::uint64_t seed) {
  std::vector<Eigen::Index> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), Eigen::Index{0});
  if (n <= most) return rows;
  Random random(seed, 77);
  for (std::size_t i = 0; i < static_cast<std::size_t>(most); ++i)
    std::swap(rows[i], rows[i + random.below(rows.size() - i)]);
  rows.resize(static_cast<std::size_t>(most));
  return rows;
}

}  // namespace

GaussianSearch maximise_likelihood(const Eigen::MatrixXd& at, const Eigen::VectorXd& value, Kernel kernel,
                                   Eigen::Index most, std::uint64_t seed, const GaussianSettings* start) {
  const auto rows = drawn_rows(at.rows(), most, seed);
  const Eigen::MatrixXd part = at(rows, Eigen::all);
  const Eigen::VectorXd part_value = value(rows);
  const double spread = std::max((part_value.array() - part_value.mean()).square().mean(), 1e-300);
  Likelihood likelihood(part, part_value, kernel);

  const auto m = static_cast<std::size_t>(at.cols());
  std::vector<double> logs(m + 2);
  std::vector<double> low(m + 2);
  std::vector<double> high(m + 2);
  for (std::size_t j = 0; j < m; ++j) {
    const double width =
        at.col(static_cast<Eigen::Index>(j)).maxCoeff() - at.col(static_cast<Eigen::Index>(j)).minCoeff();
    const double unit = std::log(width > 0 ? width : 1);
    logs[j] = start != nullptr ? std::log(start->lengths[static_cast<Eigen::Index>(j)]) : unit + 0.5;
    low[j] = unit - 4;
    high[j] = unit + 5;
  }
  logs[m] = start != nullptr ? std::log(start->signal) : std::log(spread) + 0.7;
  low[m] = std::log(spread) - 5;
  high[m] = std::log(spread) + 5;
  logs[m + 1] = start != nullptr ? std::log(start->noise) : std::log(spread) - 4;
  low[m + 1] = std::log(spread) - 14;
  high[m + 1] = std::log(spread) + 1;
  for (std::size_t j = 0; j < logs.size(); ++j) logs[j] = std::clamp(logs[j], low[j], high[j]);

  GaussianSearch found;
  nlopt_opt search = nlopt_create(NLOPT_LD_LBFGS, static_cast<unsigned>(logs.size()));
  nlopt_set_lower_bounds(search, low.data());
  nlopt_set_upper_bounds(search, high.data());
  nlopt_set_min_objective(search, objective, &likelihood);
  nlopt_set_ftol_abs(search, kEnough);
  nlopt_set_maxeval(search, kMostEvaluations);
  double least = 0;
  // Whatever it says, logs holds the best point met.
  nlopt_optimize(search, logs.data(), &least);
  nlopt_destroy(search);
  found.settings = likelihood.settings(logs.data());
  found.minus_log_likelihood = likelihood(logs.data(), nullptr);
  return found;
}

}  // namespace weir::surface
