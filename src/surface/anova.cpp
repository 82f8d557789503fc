#include "surface/anova.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>
#include <boost/math/distributions/fisher_f.hpp>
#include <fmt/format.h>

#include "base/interrupt.hpp"

namespace weir::surface {
namespace {

struct Term {
  std::vector<std::size_t> factors;
  Eigen::Index first = 0;  // column
  Eigen::Index count = 0;
};

// Into how many groups each factor's values are taken; as many as there are values where all are levels.
using Groups = std::vector<std::size_t>;

// Degrees of freedom of all effects of first and second order on a full grid.
double freedom(const Groups& groups) {
  double sum = 0;
  double squares = 0;
  for (const std::size_t count : groups) {
    const auto own = static_cast<double>(count) - 1;
    sum += own;
    squares += own * own;
  }
  return sum + (sum * sum - squares) / 2;
}

// Factors with more values than levels are wanted, or with another one in nearly every row, are cut into
// groups, and into fewer until effects leave two thirds of the rows to judge them by.
Groups groups_of(const MapData& map, int most_levels, Anova& anova) {
  const auto n = static_cast<std::size_t>(map.size());
  Groups groups;
  std::vector<std::size_t> cut;
  for (std::size_t f = 0; f < map.factors.size(); ++f) {
    const Factor& factor = map.factors[f];
    groups.push_back(factor.values.size());
    const bool many = std::cmp_greater(factor.values.size(), most_levels);
    if (many || (!factor.words() && 2 * factor.values.size() > n)) cut.push_back(f);
  }
  for (const std::size_t f : cut) groups[f] = std::min(groups[f], static_cast<std::size_t>(most_levels));
  while (freedom(groups) > static_cast<double>(n) / 3) {
    const auto widest = std::max_element(cut.begin(), cut.end(),
                                         [&](std::size_t a, std::size_t b) { return groups[a] < groups[b]; });
    if (widest == cut.end() || groups[*widest] <= 2) break;
    --groups[*widest];
  }
  for (const std::size_t f : cut)
    if (groups[f] < map.factors[f].values.size())
      anova.notes.push_back(fmt::format("{} has {} values; they are taken in {} groups", map.factors[f].name,
                                        map.factors[f].values.size(), groups[f]));
  return groups;
}

// The level of each row for one factor.
std::vector<int> levels_of(const MapData& map, std::size_t factor, std::size_t groups) {
  const std::vector<double>& values = map.factors[factor].values;
  std::vector<int> levels;
  for (const double value : map.at.col(static_cast<Eigen::Index>(factor))) {
    const auto place =
        static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), value) - values.begin());
    levels.push_back(static_cast<int>(place * groups / values.size()));
  }
  return levels;
}

// Columns of 0 and 1 for the levels, or pairs of levels, that occur, about their means.
class DesignMatrix {
 public:
  DesignMatrix(const MapData& map, const Groups& groups, bool pairs) : n_(map.size()) {
    for (std::size_t f = 0; f < map.factors.size(); ++f) levels_.push_back(levels_of(map, f, groups[f]));
    for (std::size_t f = 0; f < map.factors.size(); ++f) add({f});
    for (std::size_t f = 0; pairs && f < map.factors.size(); ++f)
      for (std::size_t g = f + 1; g < map.factors.size(); ++g) add({f, g});
    Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(n_, next_);
    for (const auto& [row, column] : entries_) columns(row, column) = 1;
    columns_ = columns.rowwise() - columns.colwise().mean();
  }

  const std::vector<Term>& terms() const { return terms_; }
  const Eigen::MatrixXd& columns() const { return columns_; }

 private:
  void add(const std::vector<std::size_t>& factors) {
    std::vector<std::pair<int, int>> seen;
    Term term{.factors = factors, .first = next_};
    for (Eigen::Index i = 0; i < n_; ++i) {
      const auto row = static_cast<std::size_t>(i);
      const std::pair<int, int> cell = {levels_[factors.front()][row],
                                        factors.size() > 1 ? levels_[factors.back()][row] : 0};
      auto place = std::find(seen.begin(), seen.end(), cell);
      if (place == seen.end()) place = seen.insert(seen.end(), cell);
      entries_.emplace_back(i, next_ + (place - seen.begin()));
    }
    term.count = static_cast<Eigen::Index>(seen.size());
    next_ += term.count;
    terms_.push_back(std::move(term));
  }

  Eigen::Index n_;
  Eigen::Index next_ = 0;
  std::vector<std::vector<int>> levels_;
  std::vector<std::pair<Eigen::Index, Eigen::Index>> entries_;
  std::vector<Term> terms_;
  Eigen::MatrixXd columns_;
};

struct Fitted {
  double explained = 0;  // sum of squares
  Eigen::Index rank = 0;
};

// Least squares on some terms, from the normal equations of all. With columns of 0 and 1 pivots are 0 or well
// away from it, so the rank is clear.
class LeastSquares {
 public:
  LeastSquares(const DesignMatrix& design, const Eigen::VectorXd& value)
      : terms_(design.terms()),
        gram_(design.columns().transpose() * design.columns()),
        right_(design.columns().transpose() * value) {}

  Fitted fit(const std::vector<std::size_t>& used) const {
    std::vector<Eigen::Index> columns;
    for (const std::size_t term : used)
      for (Eigen::Index k = 0; k < terms_[term].count; ++k) columns.push_back(terms_[term].first + k);
    Fitted fitted;
    if (columns.empty()) return fitted;
    // With P G P' = L D L', the explained part is the sum of (L^-1 P b)² / D over the pivots that are not 0.
    const Eigen::LDLT<Eigen::MatrixXd> solver(gram_(columns, columns));
    const Eigen::VectorXd along =
        solver.matrixL().solve(Eigen::VectorXd(solver.transpositionsP() * right_(columns)));
    const Eigen::VectorXd pivots = solver.vectorD();
    const double least = 1e-9 * pivots.cwiseAbs().maxCoeff();
    for (Eigen::Index i = 0; i < along.size(); ++i) {
      if (pivots[i] <= least) continue;
      fitted.explained += along[i] * along[i] / pivots[i];
      ++fitted.rank;
    }
    return fitted;
  }

 private:
  const std::vector<Term>& terms_;
  Eigen::MatrixXd gram_;
  Eigen::VectorXd right_;
};

bool contains(const Term& term, const std::vector<std::size_t>& factors) {
  return std::all_of(factors.begin(), factors.end(), [&](std::size_t factor) {
    return std::find(term.factors.begin(), term.factors.end(), factor) != term.factors.end();
  });
}

// Normal equations of more columns take minutes; so many pairs of levels say nothing by themselves either.
constexpr double kMostFreedom = 2000;

// The effects of one design; none where it leaves no freedom to the residual.
Result<bool> find_effects(const MapData& map, const Eigen::VectorXd& value, const DesignMatrix& design,
                          Anova& anova) {
  const LeastSquares squares(design, value);
  std::vector<std::size_t> all(design.terms().size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const Fitted full = squares.fit(all);
  anova.residual_squares = std::max(0.0, anova.total_squares - full.explained);
  anova.residual_freedom = static_cast<double>(map.size() - 1 - full.rank);
  anova.explained = 1 - anova.residual_squares / anova.total_squares;
  if (anova.residual_freedom < 1) return false;
  const double residual = anova.residual_squares / anova.residual_freedom;
  for (const Term& term : design.terms()) {
    if (auto on = check_interrupt(); !on) return on.error();
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!contains(design.terms()[i], term.factors)) others.push_back(i);
    std::vector<std::size_t> with = others;
    with.push_back(static_cast<std::size_t>(&term - design.terms().data()));
    const Fitted without = squares.fit(others);
    const Fitted including = squares.fit(with);
    Effect effect;
    effect.factors = term.factors;
    effect.name = map.factors[term.factors.front()].name;
    if (term.factors.size() > 1) effect.name += " x " + map.factors[term.factors.back()].name;
    effect.squares = std::max(0.0, including.explained - without.explained);
    effect.freedom = static_cast<double>(including.rank - without.rank);
    if (effect.freedom < 1) {
      anova.notes.push_back(fmt::format("{} cannot be told from the other effects", effect.name));
      continue;
    }
    effect.f = effect.squares / effect.freedom / residual;
    const boost::math::fisher_f law(effect.freedom, anova.residual_freedom);
    effect.p_value = std::isfinite(effect.f) ? boost::math::cdf(boost::math::complement(law, effect.f)) : 0;
    effect.eta_squared = effect.squares / anova.total_squares;
    effect.partial_eta_squared = effect.squares / (effect.squares + anova.residual_squares);
    effect.omega_squared =
        std::max(0.0, (effect.squares - effect.freedom * residual) / (anova.total_squares + residual));
    anova.effects.push_back(std::move(effect));
  }
  return true;
}

}  // namespace

Result<Anova> analyse_variance(const MapData& map, bool log_value, int most_levels) {
  if (log_value && map.value.minCoeff() <= 0)
    return Error{Errc::bad_data, "a response is 0 or below: it has no logarithm"}.with_remedy(
        "use --response-scale plain");
  Anova anova;
  anova.log_value = log_value;
  Eigen::VectorXd value = log_value ? Eigen::VectorXd(map.value.array().log()) : map.value;
  value.array() -= value.mean();
  anova.total_squares = value.squaredNorm();
  const Groups groups = groups_of(map, most_levels, anova);
  bool pairs = map.factors.size() > 1;
  if (pairs && freedom(groups) > kMostFreedom) {
    pairs = false;
    anova.notes.emplace_back(
        "pairs of factors have too many levels to tell their effects; they are left out");
  }
  auto told = find_effects(map, value, DesignMatrix(map, groups, pairs), anova);
  if (told && !*told && pairs) {
    anova.notes.emplace_back(
        "with pairs of factors nothing is left to tell effects from chance; the pairs are left out");
    told = find_effects(map, value, DesignMatrix(map, groups, false), anova);
  }
  if (!told) return told.error();
  if (!*told)
    return Error{Errc::bad_data,
                 fmt::format("{} configurations leave nothing to tell effects from chance", map.size())}
        .with_remedy("measure more configurations, or name fewer factors");
  std::stable_sort(anova.effects.begin(), anova.effects.end(),
                   [](const Effect& a, const Effect& b) { return a.squares > b.squares; });
  return anova;
}

}  // namespace weir::surface
