#include "surface/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <boost/math/distributions/normal.hpp>
#include <fmt/format.h>

#include "base/interrupt.hpp"
#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "surface/scale_choice.hpp"
#include "surface/validation.hpp"

namespace weir::surface {
namespace {

constexpr int kLevels = 99;
constexpr std::size_t kLeastRuns = 5;

std::vector<double> levels() {
  std::vector<double> all;
  for (int k = 0; k < kLevels; ++k) all.push_back((k + 0.5) / kLevels);
  return all;
}

}  // namespace

double QuantileFunction::cdf(double value) const {
  if (value < quantile.front()) return 0;
  if (value >= quantile.back()) return 1;
  const auto next =
      static_cast<std::size_t>(std::upper_bound(quantile.begin(), quantile.end(), value) - quantile.begin());
  const double step = quantile[next] - quantile[next - 1];
  const double share = step > 0 ? (value - quantile[next - 1]) / step : 1;
  return probability[next - 1] + share * (probability[next] - probability[next - 1]);
}

double kolmogorov_distance(const QuantileFunction& model, std::span<const double> sample) {
  std::vector<double> sorted(sample.begin(), sample.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  double largest = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t next = i;
    while (next < sorted.size() && sorted[next] == sorted[i]) ++next;
    const double there = model.cdf(sorted[i]);
    const double just_below = model.cdf(std::nextafter(sorted[i], -INFINITY));
    largest = std::max({largest, std::abs(static_cast<double>(next) / n - there),
                        std::abs(just_below - static_cast<double>(i) / n)});
    i = next;
  }
  return largest;
}

double kolmogorov_distance(std::span<const double> a, std::span<const double> b) {
  std::vector<double> x(a.begin(), a.end());
  std::vector<double> y(b.begin(), b.end());
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  double largest = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < x.size() && j < y.size()) {
    const double at = std::min(x[i], y[j]);
    while (i < x.size() && x[i] == at) ++i;
    while (j < y.size() && y[j] == at) ++j;
    largest = std::max(largest, std::abs(static_cast<double>(i) / static_cast<double>(x.size()) -
                                         static_cast<double>(j) / static_cast<double>(y.size())));
  }
  return largest;
}

Result<DistributionMap> DistributionMap::fit(const MapData& map, std::uint64_t seed,
                                             const std::vector<Eigen::Index>& rows) {
  std::vector<Eigen::Index> all(static_cast<std::size_t>(map.size()));
  std::iota(all.begin(), all.end(), Eigen::Index{0});
  const MapData part = take_rows(map, rows.empty() ? all : rows);
  DistributionMap made;
  made.probability_ = levels();
  Eigen::MatrixXd quantile_values(part.size(), kLevels);
  made.log_ = true;
  for (Eigen::Index i = 0; i < part.size(); ++i) {
    const std::vector<double>& runs = part.runs[static_cast<std::size_t>(i)];
    if (runs.size() < kLeastRuns)
      return Error{Errc::bad_data, fmt::format("{}: {} runs are too few for a distribution",
                                               part.configuration(i), runs.size())}
          .with_remedy("give single runs with --from-runs or --wide, 5 or more of each configuration");
    const auto values = middle_quantiles(runs, kLevels);
    made.log_ = made.log_ && values.front() > 0;
    for (int k = 0; k < kLevels; ++k) quantile_values(i, k) = values[static_cast<std::size_t>(k)];
  }
  if (made.log_) quantile_values = quantile_values.array().log();

  const Eigen::VectorXd middle = quantile_values.col(kLevels / 2);
  ModelOptions options;
  options.method.seed = seed;
  options.log_value = false;
  auto scaling = choose_scaling(part.factors, part.at, middle, Method::gaussian, options);
  if (!scaling) return scaling.error();
  made.at_ = scaling->coordinates(part.at);
  auto fitted = fit_gaussian(made.at_, middle, options.method);
  if (!fitted) return fitted.error();
  made.surface_ =
      std::dynamic_pointer_cast<const Gaussian>(std::shared_ptr<const Predictor>(*std::move(fitted)));
  made.scaling_ = std::make_shared<const Scaling>(*std::move(scaling));

  const Gaussian& process = *made.surface_;
  const Eigen::VectorXd ones = process.solve(Eigen::VectorXd::Ones(part.size()));
  made.weights_ = process.solve(quantile_values);
  made.mean_ = made.weights_.colwise().sum() / ones.sum();
  made.weights_ -= ones * made.mean_;
  // Leave-one-out errors have a closed form: weight over the inverse's diagonal, and its reciprocal is their
  // variance.
  const Eigen::ArrayXd diagonal =
      process.solve(Eigen::MatrixXd::Identity(part.size(), part.size())).diagonal().array();
  made.spread_ = (made.weights_.array().square().colwise() / diagonal).colwise().mean().sqrt();
  return made;
}

QuantileFunction DistributionMap::predict(const Eigen::VectorXd& at, double level) const {
  const Eigen::MatrixXd coordinates = scaling_->coordinates(at.transpose());
  const GaussianSettings& settings = surface_->settings();
  const Eigen::RowVectorXd across = settings.signal * correlations(at_, coordinates, settings).transpose();
  const Eigen::RowVectorXd values = mean_ + across * weights_;
  const double deviation = std::sqrt(surface_->predict(coordinates, true).variance[0]);
  const double reach = boost::math::quantile(boost::math::normal(), (1 + level) / 2);
  QuantileFunction made;
  made.probability = probability_;
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    const double half = reach * deviation * spread_[k];
    const auto back = [&](double value) { return log_ ? std::exp(value) : value; };
    made.quantile.push_back(back(values[k]));
    made.low.push_back(back(values[k] - half));
    made.high.push_back(back(values[k] + half));
  }
  // Surfaces of neighbouring quantiles may cross by a little; in order they are nearer to any true function
  // (Chernozhukov et al. 2010).
  std::sort(made.quantile.begin(), made.quantile.end());
  std::sort(made.low.begin(), made.low.end());
  std::sort(made.high.begin(), made.high.end());
  return made;
}

Result<DistributionScore> score_distributions(const MapData& map, int folds, std::uint64_t seed,
                                              unsigned threads) {
  const auto splits = fold_splits(map.size(), folds, seed);
  if (!splits) return splits.error();
  struct Part {
    DistributionScore sums;
    std::string failed;
  };
  std::vector<Part> parts(splits->size());
  Progress progress("distributions", splits->size());
  parallel_for(
      splits->size(),
      [&](std::size_t s) {
        if (interrupted()) return;
        const Split& split = (*splits)[s];
        const auto fitted = DistributionMap::fit(map, seed, split.train);
        if (!fitted) {
          parts[s].failed = fitted.error().text();
          return;
        }
        std::vector<double> all;
        for (const Eigen::Index row : split.train) {
          const auto& runs = map.runs[static_cast<std::size_t>(row)];
          all.insert(all.end(), runs.begin(), runs.end());
        }
        const Eigen::MatrixXd train = fitted->scaling().coordinates(map.at(split.train, Eigen::all));
        for (const Eigen::Index row : split.test) {
          const auto& runs = map.runs[static_cast<std::size_t>(row)];
          const Eigen::RowVectorXd there = fitted->scaling().coordinates(map.at.row(row));
          Eigen::Index nearest = 0;
          (train.rowwise() - there).rowwise().squaredNorm().minCoeff(&nearest);
          const auto& other =
              map.runs[static_cast<std::size_t>(split.train[static_cast<std::size_t>(nearest)])];
          parts[s].sums.predicted +=
              kolmogorov_distance(fitted->predict(map.at.row(row).transpose(), 0.9), runs);
          parts[s].sums.neighbour += kolmogorov_distance(other, runs);
          parts[s].sums.overall += kolmogorov_distance(all, runs);
          ++parts[s].sums.count;
        }
        progress.advance();
      },
      threads);
  if (auto on = check_interrupt(); !on) return on.error();
  DistributionScore score;
  for (const Part& part : parts) {
    if (!part.failed.empty()) return Error{Errc::bad_data, part.failed};
    score.predicted += part.sums.predicted;
    score.neighbour += part.sums.neighbour;
    score.overall += part.sums.overall;
    score.count += part.sums.count;
  }
  score.predicted /= score.count;
  score.neighbour /= score.count;
  score.overall /= score.count;
  return score;
}

}  // namespace weir::surface
