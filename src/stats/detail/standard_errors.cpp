#include "stats/detail/standard_errors.hpp"

#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

namespace weir::stats::detail {

std::vector<ComponentErrors> standard_errors(const PreparedSample& sample, Family family, const State& state,
                                             const std::vector<std::size_t>& order,
                                             const StepLimits& limits) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const auto k = state.components;
  std::vector<ComponentErrors> errors(static_cast<std::size_t>(k), {unknown, unknown, unknown});
  MissingInformation missing;
  const PassResult pass = em_pass(sample, family, state, missing);

  // Coordinates: log weights of all components but the last (3j), α (3j+1), β (3j+2).
  std::vector<int> free;
  std::vector<bool> held(static_cast<std::size_t>(k));
  for (int j = 0; j < k; ++j) {
    const auto at = static_cast<std::size_t>(j);
    held[at] = state.sharpness[at] >= limits.cap * (1 - 1e-9);
    if (j + 1 < k) free.push_back(3 * j);
    if (!held[at]) free.push_back(3 * j + 1);
    free.push_back(3 * j + 2);
  }
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(3 * k, 3 * k);
  for (int p = 0; p < 3 * k; ++p)
    for (int q = 0; q < 3 * k; ++q)
      all(p, q) = -missing[static_cast<std::size_t>(p)][static_cast<std::size_t>(q)];
  for (int j = 0; j < k; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const ComponentSums& s = pass.components[at];
    all(3 * j + 1, 3 * j + 1) += s.alpha_alpha;
    all(3 * j + 1, 3 * j + 2) += s.alpha_beta;
    all(3 * j + 2, 3 * j + 1) += s.alpha_beta;
    all(3 * j + 2, 3 * j + 2) += s.beta_beta;
    all(3 * j, 3 * j) += limits.weight_sum * state.weight[at];
    for (int l = 0; l < k; ++l)
      all(3 * j, 3 * l) -= limits.weight_sum * state.weight[at] * state.weight[static_cast<std::size_t>(l)];
  }
  const auto size = static_cast<Eigen::Index>(free.size());
  Eigen::MatrixXd information(size, size);
  for (Eigen::Index p = 0; p < size; ++p)
    for (Eigen::Index q = 0; q < size; ++q)
      information(p, q) = all(free[static_cast<std::size_t>(p)], free[static_cast<std::size_t>(q)]);
  const Eigen::LLT<Eigen::MatrixXd> factor(information);
  if (factor.info() != Eigen::Success || !(factor.rcond() > 1e-13)) return errors;

  // The variance of a linear combination of coordinates, given by its coefficients over `free`.
  const auto deviation = [&](const Eigen::VectorXd& by) {
    return std::sqrt(factor.matrixL().solve(by).squaredNorm());
  };
  const auto coefficient = [&](Eigen::VectorXd& by, int coordinate, double value) {
    for (Eigen::Index p = 0; p < size; ++p)
      if (free[static_cast<std::size_t>(p)] == coordinate) by(p) = value;
  };
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::size_t at = order[place];
    const int j = static_cast<int>(at);
    ComponentErrors& out = errors[place];
    Eigen::VectorXd by = Eigen::VectorXd::Zero(size);
    for (int l = 0; l + 1 < k; ++l)
      coefficient(by, 3 * l,
                  state.weight[at] * ((l == j ? 1 : 0) - state.weight[static_cast<std::size_t>(l)]));
    out.weight = deviation(by);
    by.setZero();
    const double a = state.sharpness[at];
    if (family == Family::gamma) {
      const double scale = sample.mean() * state.centre[at] / a;
      coefficient(by, 3 * j + 2, scale / std::sqrt(a));
      coefficient(by, 3 * j + 1, -scale);
      out.scale = deviation(by);
      by.setZero();
      coefficient(by, 3 * j + 1, a);
      out.location = deviation(by);
      if (held[at]) out.location = unknown;  // the shape is what the floor holds
    } else {
      const double unit = family == Family::normal ? sample.spread() : sample.log_spread();
      coefficient(by, 3 * j + 2, unit / a);
      out.location = deviation(by);
      by.setZero();
      coefficient(by, 3 * j + 1, -unit / a);
      out.scale = held[at] ? unknown : deviation(by);
    }
  }
  return errors;
}

}  // namespace weir::stats::detail
