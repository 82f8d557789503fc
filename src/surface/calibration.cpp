#include "surface/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <boost/math/distributions/normal.hpp>

#include "base/parallel.hpp"
#include "surface/validation.hpp"

namespace weir::surface {
namespace {

constexpr int kFolds = 10;
constexpr Eigen::Index kBlock =
    1000;  // rows predicted at once: a process keeps a column of its points for each

double quantile(const std::vector<double>& sorted, double probability) {
  // Conformal: with n residuals, those at ranks (n + 1) p; beyond the outermost there is no bound to give but
  // them.
  const double place = std::clamp(probability * static_cast<double>(sorted.size() + 1) - 1, 0.0,
                                  static_cast<double>(sorted.size() - 1));
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

void Calibration::widen(Prediction& prediction, double level) const {
  if (residuals.empty()) {
    prediction.low = prediction.high = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  const double low = quantile(residuals, (1 - level) / 2);
  const double high = quantile(residuals, (1 + level) / 2);
  prediction.low = relative ? prediction.value * low : prediction.value + low;
  prediction.high = relative ? prediction.value * high : prediction.value + high;
  if (prediction.low > prediction.high) std::swap(prediction.low, prediction.high);  // of a value below 0
}

Result<Calibration> calibrate(const MapData& map, Method method, const ModelOptions& options,
                              std::uint64_t seed, unsigned threads) {
  Calibration calibration;
  const int folds = static_cast<int>(std::min<Eigen::Index>(kFolds, map.size()));
  const auto splits = fold_splits(map.size(), folds, seed);
  if (!splits) return splits.error();
  std::vector<SplitErrors> tested(splits->size());
  parallel_for(
      splits->size(), [&](std::size_t i) { tested[i] = test_split(map, (*splits)[i], method, options); },
      threads);
  calibration.relative = map.value.minCoeff() > 0;
  for (const SplitErrors& split : tested)
    for (const RowError& row : split.rows) calibration.relative = calibration.relative && row.predicted > 0;
  for (const SplitErrors& split : tested)
    for (const RowError& row : split.rows) {
      const double measured = map.value[row.row];
      calibration.residuals.push_back(calibration.relative ? measured / row.predicted
                                                           : measured - row.predicted);
    }
  std::sort(calibration.residuals.begin(), calibration.residuals.end());
  return calibration;
}

std::vector<Prediction> predict_intervals(const Model& model, const Calibration& calibration,
                                          const Eigen::MatrixXd& at, double level) {
  const double reach = boost::math::quantile(boost::math::normal(), (1 + level) / 2);
  std::vector<Prediction> all;
  for (Eigen::Index first = 0; first < at.rows(); first += kBlock) {
    const Eigen::MatrixXd block = at.middleRows(first, std::min(kBlock, at.rows() - first));
    const Predictions made = model.predictor().predict(model.scaling().coordinates(block), true);
    const Eigen::VectorXd value = model.responses(made);
    for (Eigen::Index i = 0; i < block.rows(); ++i) {
      Prediction one{.value = value[i], .outside = made.outside[static_cast<std::size_t>(i)]};
      if (model.method() == Method::gaussian) {
        const double half = reach * std::sqrt(made.variance[i]);
        one.low = model.scaling().response(made.value[i] - half);
        one.high = model.scaling().response(made.value[i] + half);
      } else {
        calibration.widen(one, level);
      }
      all.push_back(one);
    }
  }
  return all;
}

}  // namespace weir::surface
