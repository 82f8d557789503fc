#include "surface/mars/forward.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "surface/mars/knots.hpp"

namespace weir::surface {
namespace {

// A column whose part outside the others' span is below this share of it is dependent on them.
constexpr double kDependent = 1e-9;
constexpr double kDone = 0.999;  // R² at which the forward pass has nothing left to find

class Forward {
 public:
  Forward(const Eigen::MatrixXd& at, const Eigen::VectorXd& value, const MarsOptions& options)
      : at_(at), options_(options), most_(term_limit(at, options)), residual_(value) {
    const Eigen::Index n = at.rows();
    total_ = (value.array() - value.mean()).square().sum();
    basis_.columns.resize(n, most_);
    orthonormal_.resize(n, most_);
    for (Eigen::Index j = 0; j < at.cols(); ++j) orders_.push_back(descending(at.col(j)));
    add({}, Eigen::VectorXd::Ones(n));
  }

  MarsBasis run() {
    rss_ = residual_.squaredNorm();
    while (count_ + 2 <= most_ && step()) {
    }
    basis_.columns.conservativeResize(Eigen::NoChange, count_);
    return std::move(basis_);
  }

 private:
  struct Candidate {
    double gain = 0;
    Eigen::Index parent = 0;
    Eigen::Index factor = 0;
    double knot = 0;
    bool linear = false;
  };

  static Eigen::Index term_limit(const Eigen::MatrixXd& at, const MarsOptions& options) {
    if (options.terms > 0) return options.terms;
    return std::min<Eigen::Index>(200, std::max<Eigen::Index>(20, 2 * at.cols())) + 1;
  }

  static std::vector<Eigen::Index> descending(const Eigen::VectorXd& column) {
    std::vector<Eigen::Index> order(static_cast<std::size_t>(column.size()));
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](Eigen::Index a, Eigen::Index b) { return column[a] < column[b]; });
    std::reverse(order.begin(), order.end());
    return order;
  }

  // One pair of terms more; false where no pair is worth it.
  bool step() {
    Candidate best;
    for (const Eigen::Index parent : parents()) {
      double gain = 0;
      for (Eigen::Index factor = 0; factor < at_.cols(); ++factor) {
        const Candidate found = try_pair(parent, factor);
        gain = std::max(gain, found.gain);
        if (found.gain > best.gain * (1 + 1e-10)) best = found;
      }
      gains_[static_cast<std::size_t>(parent)] = gain;
      looked_[static_cast<std::size_t>(parent)] = steps_;
    }
    ++steps_;
    if (!(best.gain > 0) || !(total_ > 0)) return false;
    const bool enough = best.gain / total_ < options_.threshold;
    if (enough) return false;
    add_pair(best);
    return 1 - rss_ / total_ < kDone;
  }

  // The terms worth extending: all, or by Friedman's queue those that gained most when last looked at, aged.
  std::vector<Eigen::Index> parents() const {
    std::vector<Eigen::Index> order(static_cast<std::size_t>(count_));
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    std::erase_if(order, [&](Eigen::Index parent) {
      return std::cmp_greater_equal(basis_.terms[static_cast<std::size_t>(parent)].size(), options_.degree);
    });
    if (options_.fast <= 0 || std::cmp_less_equal(order.size(), options_.fast)) return order;
    const auto priority = [&](Eigen::Index parent) {
      const auto at = static_cast<std::size_t>(parent);
      return gains_[at] / (1.0 + static_cast<double>(steps_ - looked_[at]));
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](Eigen::Index a, Eigen::Index b) { return priority(a) > priority(b); });
    order.resize(static_cast<std::size_t>(options_.fast));
    std::sort(order.begin(), order.end());
    return order;
  }

  Candidate try_pair(Eigen::Index parent, Eigen::Index factor) {
    const MarsTerm& term = basis_.terms[static_cast<std::size_t>(parent)];
    for (const MarsHinge& hinge : term)
      if (hinge.factor == factor) return {};
    KnotSearch search{.x = at_.col(factor),
                      .parent = basis_.columns.col(parent),
                      .order = orders_[static_cast<std::size_t>(factor)],
                      .orthonormal = orthonormal_.leftCols(count_),
                      .residual = residual_,
                      .factors = at_.cols(),
                      .parent_degree = static_cast<int>(term.size())};
    const KnotFound found = find_knot(search, scratch_);
    return {
        .gain = found.gain, .parent = parent, .factor = factor, .knot = found.knot, .linear = found.linear};
  }

  void add_pair(const Candidate& best) {
    const MarsTerm parent = basis_.terms[static_cast<std::size_t>(best.parent)];
    const auto extend = [&](double knot, int side) {
      MarsTerm term = parent;
      term.push_back({.factor = best.factor, .knot = knot, .side = side});
      Eigen::VectorXd column = mars_column(at_, term);
      add(std::move(term), column);
    };
    if (best.linear) {
      extend(0, 0);
    } else {
      extend(best.knot, 1);
      extend(best.knot, -1);
    }
    rss_ = residual_.squaredNorm();
  }

  // Keeps a column where it is not in the span of the others.
  void add(MarsTerm term, const Eigen::VectorXd& column) {
    Eigen::VectorXd fresh = column;
    for (int again = 0; again < 2; ++again)
      fresh -= orthonormal_.leftCols(count_) * (orthonormal_.leftCols(count_).transpose() * fresh);
    const double norm = fresh.norm();
    if (!(norm * norm > kDependent * column.squaredNorm())) return;
    basis_.columns.col(count_) = column;
    orthonormal_.col(count_) = fresh / norm;
    residual_ -= orthonormal_.col(count_) * orthonormal_.col(count_).dot(residual_);
    basis_.terms.push_back(std::move(term));
    gains_.push_back(std::numeric_limits<double>::infinity());
    looked_.push_back(steps_);
    ++count_;
  }

  const Eigen::MatrixXd& at_;
  const MarsOptions& options_;
  Eigen::Index most_;
  Eigen::VectorXd residual_;
  Eigen::MatrixXd orthonormal_;
  MarsBasis basis_;
  std::vector<std::vector<Eigen::Index>> orders_;  // rows by descending value of each factor
  std::vector<double> gains_;                      // of each term when last looked at as a parent
  std::vector<int> looked_;                        // in which step
  KnotScratch scratch_;
  Eigen::Index count_ = 0;
  int steps_ = 0;
  double total_ = 0;
  double rss_ = 0;
};

}  // namespace

Eigen::VectorXd mars_column(const Eigen::MatrixXd& at, const MarsTerm& term) {
  Eigen::ArrayXd column = Eigen::ArrayXd::Ones(at.rows());
  for (const MarsHinge& hinge : term) {
    const auto x = at.col(hinge.factor).array();
    if (hinge.side == 0)
      column *= x;
    else
      column *= (hinge.side * (x - hinge.knot)).max(0.0);
  }
  return column;
}

MarsBasis mars_forward(const Eigen::MatrixXd& at, const Eigen::VectorXd& value, const MarsOptions& options) {
  return Forward(at, value, options).run();
}

}  // namespace weir::surface
