#include "surface/scale_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "surface/gp/gaussian.hpp"
#include "surface/validation.hpp"

namespace weir::surface {
namespace {

constexpr Eigen::Index kMostRows = 400;
constexpr int kFolds = 5;

std::vector<bool> choices(const std::optional<bool>& fixed, bool possible) {
  if (fixed) return {*fixed};
  if (possible) return {true, false};
  return {false};
}

// For a Gaussian process the likelihood tells, at a fraction of the cost. A density of log y is one of y
// divided by y, hence the sum of logarithms.
double misfit(const std::vector<Factor>& factors, const Eigen::MatrixXd& at, const Eigen::VectorXd& response,
              std::uint64_t seed, bool log_x, bool log_y) {
  const Scaling scaling(factors, at, log_x, log_y);
  const double likelihood = gaussian_misfit(scaling.coordinates(at), scaling.values(response), seed);
  return log_y ? likelihood + response.array().log().mean() : likelihood;
}

// The average relative error over the folds; infinite where a fold cannot be fitted.
double tested(const std::vector<Factor>& factors, const Eigen::MatrixXd& at, const Eigen::VectorXd& response,
              Method method, const MethodOptions& options, const std::vector<Split>& folds, bool log_x,
              bool log_y) {
  double sum = 0;
  Eigen::Index count = 0;
  for (const Split& fold : folds) {
    const Eigen::MatrixXd train = at(fold.train, Eigen::all);
    const Scaling scaling(factors, train, log_x, log_y);
    const auto predictor =
        fit_method(method, scaling.coordinates(train), scaling.values(response(fold.train)), options);
    if (!predictor) return std::numeric_limits<double>::infinity();
    const Predictions made = (*predictor)->predict(scaling.coordinates(at(fold.test, Eigen::all)), false);
    for (std::size_t i = 0; i < fold.test.size(); ++i) {
      const double measured = response[fold.test[i]];
      if (measured == 0) continue;
      sum += std::abs((scaling.response(made.value[static_cast<Eigen::Index>(i)]) - measured) / measured);
      ++count;
    }
  }
  const double mean = count > 0 ? sum / static_cast<double>(count) : 0;
  return std::isfinite(mean) ? mean : std::numeric_limits<double>::infinity();
}

}  // namespace

Result<Scaling> choose_scaling(const std::vector<Factor>& factors, const Eigen::MatrixXd& at,
                               const Eigen::VectorXd& response, Method method, const ModelOptions& options) {
  if (options.log_value.value_or(false) && response.minCoeff() <= 0)
    return Error{Errc::bad_data, "a response is 0 or below: it has no logarithm"}.with_remedy(
        "use --response-scale plain");
  const bool open_x = std::any_of(factors.begin(), factors.end(), [](const Factor& factor) {
    return factor.scale == Scale::automatic && factor.geometric();
  });
  const auto xs = choices(options.geometric_in_log, open_x);
  const auto ys = choices(options.log_value, response.minCoeff() > 0);
  if (xs.size() * ys.size() == 1 || at.rows() < 2 * kFolds)
    return Scaling(factors, at, xs.front(), ys.front());

  // A random part is enough to tell scales apart, and keeps the cost the same for large maps.
  const std::uint64_t seed = options.method.seed;
  std::vector<Split> folds;
  Eigen::MatrixXd part = at;
  Eigen::VectorXd part_response = response;
  if (at.rows() > kMostRows) {
    const auto sample =
        random_splits(at.rows(), static_cast<double>(kMostRows) / static_cast<double>(at.rows()), 1, seed);
    if (!sample) return sample.error();
    part = at(sample->front().train, Eigen::all);
    part_response = response(sample->front().train);
  }
  auto made = fold_splits(part.rows(), kFolds, seed);
  if (!made) return made.error();
  bool best_x = xs.front();
  bool best_y = ys.front();
  double best = std::numeric_limits<double>::infinity();
  for (const bool log_x : xs)
    for (const bool log_y : ys) {
      const double error =
          method == Method::gaussian
              ? misfit(factors, part, part_response, seed, log_x, log_y)
              : tested(factors, part, part_response, method, options.method, *made, log_x, log_y);
      if (error >= best) continue;
      best = error;
      best_x = log_x;
      best_y = log_y;
    }
  return Scaling(factors, at, best_x, best_y);
}

}  // namespace weir::surface
