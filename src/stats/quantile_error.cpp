#include "stats/quantile_error.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "base/parallel.hpp"
#include "stats/detail/information.hpp"
#include "stats/detail/refit.hpp"

namespace weir::stats {

double QuantileError::standard_error(double n) const { return unit_error / std::sqrt(n); }

Result<std::vector<QuantileError>> quantile_errors(const Mixture& mixture,
                                                   std::span<const double> quantiles) {
  const auto information = detail::expected_information(mixture);
  if (!information) return information.error();
  // Units out first: a singular matrix then shows in the eigenvalues of one with ones on its diagonal.
  const Eigen::VectorXd root = information->diagonal().cwiseSqrt();
  if (!(root.minCoeff() > 0) || !root.allFinite())
    return Error{Errc::bad_data, "the Fisher information is singular: a component has no weight"};
  const Eigen::VectorXd unit = root.cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(unit.asDiagonal() * *information *
                                                             unit.asDiagonal());
  constexpr double kSingular = 1e-9;  // about the accuracy of the integral
  if (eigen.info() != Eigen::Success || eigen.eigenvalues()[0] < kSingular)
    return Error{Errc::bad_data, "the Fisher information is singular: components of the mixture coincide"};

  std::vector<QuantileError> errors;
  for (const double q : quantiles) {
    if (!(q > 0 && q < 1)) return Error{Errc::usage, fmt::format("quantile {} is not between 0 and 1", q)};
    const double x = mixture.quantile(q);
    const Eigen::VectorXd gradient = -detail::mixture_cdf_gradient(mixture, x) / mixture.density(x);
    const Eigen::VectorXd turned = eigen.eigenvectors().transpose() * (unit.asDiagonal() * gradient);
    const double variance = (turned.array().square() / eigen.eigenvalues().array()).sum();
    errors.push_back({q, x, std::sqrt(variance)});
  }
  return errors;
}

Result<std::vector<QuantileInterval>> calibrated_intervals(const Mixture& fit, std::size_t n,
                                                           std::span<const double> quantiles, double level,
                                                           std::size_t refits, std::uint64_t seed) {
  if (refits < 40) return Error{Errc::usage, fmt::format("{} refits are too few; give at least 40", refits)};
  const auto errors = quantile_errors(fit, quantiles);
  if (!errors) return errors.error();
  const auto count = static_cast<double>(n);
  std::vector<std::vector<double>> strays(refits);  // by refit, then quantile; empty where it failed
  parallel_for(refits, [&](std::size_t r) {
    Random random(seed, r);
    std::vector<double> drawn(n);
    for (double& x : drawn) x = fit.sample(random);
    const auto again = detail::refit(drawn, fit);
    if (!again) return;
    const auto own = quantile_errors(*again, quantiles);
    if (!own) return;
    for (std::size_t i = 0; i < quantiles.size(); ++i)
      strays[r].push_back(((*own)[i].quantile - (*errors)[i].quantile) / (*own)[i].standard_error(count));
  });
  std::erase_if(strays, [](const std::vector<double>& stray) { return stray.empty(); });
  if (strays.size() < refits / 2)
    return Error{Errc::bad_data,
                 fmt::format("{} of {} refits of the model failed", refits - strays.size(), refits)};
  std::vector<QuantileInterval> intervals;
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    std::vector<double> sorted;
    sorted.reserve(strays.size());
    for (const auto& stray : strays) sorted.push_back(stray[i]);
    std::sort(sorted.begin(), sorted.end());
    const double places = static_cast<double>(sorted.size()) + 1;
    const auto from_end = static_cast<std::size_t>(std::max(1.0, std::floor(0.5 * (1 - level) * places)));
    const double error = (*errors)[i].standard_error(count);
    const double x = (*errors)[i].quantile;
    intervals.push_back(
        {quantiles[i], x, x - sorted[sorted.size() - from_end] * error, x - sorted[from_end - 1] * error});
  }
  return intervals;
}

}  // namespace weir::stats
