#include "surface/propose.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/interrupt.hpp"
#include "base/random.hpp"
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

// Measured pairs of values of two factors.
class Pairs {
 public:
  Pairs(const MapData& map, std::size_t f, std::size_t g)
      : ordered_(!map.factors[f].words() && !map.factors[g].words()) {
    for (Eigen::Index i = 0; i < map.size(); ++i)
      seen_.insert({map.at(i, static_cast<Eigen::Index>(f)), map.at(i, static_cast<Eigen::Index>(g))});
    Range below;
    for (auto pair = seen_.begin(); pair != seen_.end(); ++pair)
      up_to_[pair->first] = below.add(pair->second);
    Range above;
    for (auto pair = seen_.rbegin(); pair != seen_.rend(); ++pair)
      from_[pair->first] = above.add(pair->second);
  }

  // Whether a pair occurs, or others do in all four corners around it.
  bool fits(double a, double b) const {
    if (seen_.contains({a, b})) return true;
    return ordered_ && up_to_.at(a).holds(b) && from_.at(a).holds(b);
  }

 private:
  // Of the partners of all values up to one, or from it on.
  struct Range {
    double least = std::numeric_limits<double>::infinity();
    double greatest = -std::numeric_limits<double>::infinity();
    const Range& add(double value) {
      least = std::min(least, value);
      greatest = std::max(greatest, value);
      return *this;
    }
    bool holds(double value) const { return least <= value && value <= greatest; }
  };

  std::set<std::pair<double, double>> seen_;
  std::map<double, Range> up_to_;
  std::map<double, Range> from_;
  bool ordered_;
};

// For each pair of factors, by the places of two values, whether they fit together.
class FittingPairs {
 public:
  explicit FittingPairs(const MapData& map) : m_(map.factors.size()), fits_(m_ * m_) {
    for (std::size_t f = 0; f < m_; ++f)
      for (std::size_t g = f + 1; g < m_; ++g) {
        const Pairs seen(map, f, g);
        for (const double a : map.factors[f].values)
          for (const double b : map.factors[g].values) fits_[f * m_ + g].push_back(seen.fits(a, b));
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

// More combinations than this for each one wanted are drawn from, not gone through.
constexpr double kTriesEach = 50;

double combinations(const MapData& map) {
  double product = 1;
  for (const Factor& factor : map.factors) product *= static_cast<double>(factor.values.size());
  return product;
}

// The places of one combination after the other, in order or at random; false at the end.
class Combinations {
 public:
  Combinations(const MapData& map, Eigen::Index most, std::uint64_t seed)
      : map_(map),
        random_(seed, 79),
        drawn_(combinations(map) > kTriesEach * static_cast<double>(most)),
        tries_(static_cast<Eigen::Index>(kTriesEach) * most),
        places_(map.factors.size(), 0) {
    if (drawn_) next();
  }

  bool drawn() const { return drawn_; }
  const std::vector<std::size_t>& places() const { return places_; }

  bool next() {
    if (drawn_) {
      for (std::size_t f = 0; f < places_.size(); ++f)
        places_[f] = random_.below(map_.factors[f].values.size());
      return --tries_ > 0;
    }
    std::size_t f = 0;
    while (f < places_.size() && ++places_[f] == map_.factors[f].values.size()) places_[f++] = 0;
    return f < places_.size();
  }

 private:
  const MapData& map_;
  Random random_;
  bool drawn_;
  Eigen::Index tries_;
  std::vector<std::size_t> places_;
};

}  // namespace

Result<Candidates> likely_configurations(const MapData& map, Eigen::Index most, std::uint64_t seed) {
  const std::size_t m = map.factors.size();
  std::set<std::vector<double>> known;
  std::vector<std::vector<double>> all;
  const auto add = [&](std::vector<double> row) {
    if (known.insert(row).second) all.push_back(std::move(row));
  };
  for (Eigen::Index i = 0; i < map.size(); ++i) add({map.at.row(i).begin(), map.at.row(i).end()});
  const FittingPairs pairs(map);
  Combinations walk(map, most, seed);
  do {
    if (std::cmp_greater_equal(all.size(), most)) break;
    if (auto on = check_interrupt(); !on) return on.error();
    if (!pairs.all(walk.places(), map)) continue;
    std::vector<double> row(m);
    for (std::size_t f = 0; f < m; ++f) row[f] = map.factors[f].values[walk.places()[f]];
    add(std::move(row));
  } while (walk.next());
  Candidates made{.at = Eigen::MatrixXd(static_cast<Eigen::Index>(all.size()), static_cast<Eigen::Index>(m)),
                  .drawn = walk.drawn()};
  for (std::size_t i = 0; i < all.size(); ++i)
    made.at.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::RowVectorXd>(all[i].data(), static_cast<Eigen::Index>(m));
  return made;
}

Result<Plan> propose(const MapData& map, const Eigen::MatrixXd& candidates, const ProposeOptions& options) {
  ModelOptions model;
  model.method.seed = options.seed;
  const auto fitted = Model::fit(map, Method::gaussian, model);
  if (!fitted) return fitted.error();
  if (auto defined = fitted->scaling().check(map.factors, candidates); !defined) return defined.error();
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
    if (auto on = check_interrupt(); !on) return on.error();
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
