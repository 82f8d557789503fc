#include "surface/propose.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "surface/gp/gaussian.hpp"

namespace weir::surface {
namespace {

constexpr double kMeanOfNormal = 0.7978845608028654;  // E|z|, z standard normal

double usual_runs(const MapData& map) {
  std::vector<std::size_t> counts;
  for (const auto& runs : map.runs) counts.push_back(runs.size());
  std::nth_element(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2),
                   counts.end());
  return static_cast<double>(counts[counts.size() / 2]);
}

// In percent: of a response known up to the variance of its logarithm, or relative to the responses' mean
// size.
double expected_error(const Eigen::VectorXd& variance, bool log_value, double size) {
  const double mean = variance.array().max(0.0).sqrt().mean() * kMeanOfNormal;
  return 100 * (log_value ? mean : mean / size);
}

using Pairs = std::set<std::pair<double, double>>;

// Whether a pair occurs, or others do on both sides of it along both factors.
bool fits(const Pairs& seen, double a, double b, bool ordered) {
  if (seen.contains({a, b})) return true;
  if (!ordered) return false;
  bool left = false;
  bool right = false;
  bool below = false;
  bool above = false;
  for (const auto& [x, y] : seen) {
    left = left || (y == b && x < a);
    right = right || (y == b && x > a);
    below = below || (x == a && y < b);
    above = above || (x == a && y > b);
  }
  return left && right && below && above;
}

// For each pair of factors, by the places of two values, whether they fit together.
class FittingPairs {
 public:
  explicit FittingPairs(const MapData& map) : m_(map.factors.size()), fits_(m_ * m_) {
    for (std::size_t f = 0; f < m_; ++f)
      for (std::size_t g = f + 1; g < m_; ++g) {
        Pairs seen;
        for (Eigen::Index i = 0; i < map.size(); ++i)
          seen.insert({map.at(i, static_cast<Eigen::Index>(f)), map.at(i, static_cast<Eigen::Index>(g))});
        const bool ordered = !map.factors[f].words() && !map.factors[g].words();
        for (const double a : map.factors[f].values)
          for (const double b : map.factors[g].values) fits_[f * m_ + g].push_back(fits(seen, a, b, ordered));
      }
  }

  bool all(const std::vector<std::size_t>& places, const MapData& map) const {
    for (std::size_t f = 0; f < m_; ++f)
      for (std::size_t g = f + 1; g < m_; ++g)
        if (!fits_[f * m_ + g][places[f] * map.factors[g].values.size() + places[g]]) return false;
    return true;
  }

 private:
  std::size_t m_;
  std::vector<std::vector<bool>> fits_;
};

}  // namespace

Eigen::MatrixXd likely_configurations(const MapData& map, Eigen::Index most) {
  const std::size_t m = map.factors.size();
  std::set<std::vector<double>> measured;
  std::vector<std::vector<double>> all;
  for (Eigen::Index i = 0; i < map.size(); ++i) {
    std::vector<double> row(map.at.row(i).begin(), map.at.row(i).end());
    if (measured.insert(row).second) all.push_back(std::move(row));
  }
  const FittingPairs pairs(map);
  std::vector<std::size_t> place(m, 0);
  while (std::cmp_less(all.size(), most)) {
    std::vector<double> row(m);
    for (std::size_t f = 0; f < m; ++f) row[f] = map.factors[f].values[place[f]];
    if (!measured.contains(row) && pairs.all(place, map)) all.push_back(row);
    std::size_t f = 0;
    while (f < m && ++place[f] == map.factors[f].values.size()) place[f++] = 0;
    if (f == m) break;
  }
  Eigen::MatrixXd made(static_cast<Eigen::Index>(all.size()), static_cast<Eigen::Index>(m));
  for (std::size_t i = 0; i < all.size(); ++i)
    made.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::RowVectorXd>(all[i].data(), static_cast<Eigen::Index>(m));
  return made;
}

Result<Plan> propose(const MapData& map, const Eigen::MatrixXd& candidates, const ProposeOptions& options) {
  ModelOptions model;
  model.method.seed = options.seed;
  const auto fitted = Model::fit(map, Method::gaussian, model);
  if (!fitted) return fitted.error();
  const auto& process = dynamic_cast<const Gaussian&>(fitted->predictor());
  const double usual = usual_runs(map);
  const int batch = options.batch > 0 ? options.batch : static_cast<int>(usual);
  if (batch > options.budget)
    return Error{Errc::usage,
                 fmt::format("a budget of {} runs is less than one batch of {}", options.budget, batch)}
        .with_remedy("give more --runs or a smaller --batch");
  // The process's noise is that of a configuration with the usual number of runs.
  const double noise = process.settings().noise * usual / batch;
  const bool log_value = fitted->scaling().log_value();
  const double size = map.value.array().abs().mean();

  const Eigen::MatrixXd coordinates = fitted->scaling().coordinates(candidates);
  Eigen::MatrixXd covariance = process.covariance(coordinates, coordinates);
  std::set<std::vector<double>> measured;
  for (Eigen::Index i = 0; i < map.size(); ++i)
    measured.insert(std::vector<double>(map.at.row(i).begin(), map.at.row(i).end()));
  Plan plan;
  plan.candidates = candidates.rows();
  plan.error_percent = expected_error(covariance.diagonal(), log_value, size);
  for (int used = 0; used + batch <= options.budget; used += batch) {
    const Eigen::VectorXd gains = covariance.colwise().squaredNorm().transpose().array() /
                                  (covariance.diagonal().array().max(0.0) + noise);
    Eigen::Index best = 0;
    gains.maxCoeff(&best);
    const Eigen::VectorXd column = covariance.col(best);
    covariance.noalias() -= column * column.transpose() / (std::max(0.0, column[best]) + noise);
    const Eigen::RowVectorXd row = candidates.row(best);
    plan.steps.push_back({.at = row.transpose(),
                          .measured = measured.contains(std::vector<double>(row.begin(), row.end())),
                          .runs = batch,
                          .error_percent = expected_error(covariance.diagonal(), log_value, size)});
  }
  return plan;
}

}  // namespace weir::surface
