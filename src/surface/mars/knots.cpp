#include "surface/mars/knots.hpp"

#include <algorithm>
#include <cmath>

namespace weir::surface {
namespace {

constexpr double kLevel = 0.05;      // alpha of the spans
constexpr double kDependent = 1e-8;  // least share of a linear part outside the span of the terms
constexpr Eigen::Index kWiderForProducts = 3;

// The least share of a hinge's variance outside the span of the terms: earth is strict while terms are few.
double least_share(Eigen::Index terms) { return terms < 15 ? 0.01 : 1e-5; }

// Rows in use from the top to the first knot: beyond the end span, so that knots lie centred between the
// ends.
Eigen::Index start_span(Eigen::Index n, Eigen::Index ends, Eigen::Index apart) {
  const Eigen::Index available = std::max<Eigen::Index>(0, n - 2 * ends);
  Eigen::Index offset = available / 2;
  if (available > apart) offset = (available % apart != 0 ? available % apart : apart) / 2;
  return std::max<Eigen::Index>(1, ends + offset);
}

}  // namespace

Eigen::Index end_span(Eigen::Index factors, Eigen::Index rows, int parent_degree) {
  const auto span = static_cast<Eigen::Index>(3 - std::log2(kLevel / static_cast<double>(factors)));
  return std::clamp<Eigen::Index>(parent_degree > 0 ? kWiderForProducts * span : span, 1,
                                  std::max<Eigen::Index>(1, rows / 2 - 1));
}

Eigen::Index least_span(Eigen::Index factors, Eigen::Index rows) {
  if (rows == 0) return 1;
  const double cells = static_cast<double>(factors) * static_cast<double>(rows);
  return std::max<Eigen::Index>(1,
                                static_cast<Eigen::Index>(-std::log2(-std::log(1 - kLevel) / cells) / 2.5));
}

KnotFound find_knot(const KnotSearch& search, KnotScratch& scratch) {
  const Eigen::Index n = search.x.size();
  const Eigen::Index terms = search.orthonormal.cols();
  KnotFound found;

  // The linear part parent * x, and what is left of the residual once it is in.
  Eigen::VectorXd linear = search.parent.cwiseProduct(search.x);
  const double whole = linear.squaredNorm();
  linear.noalias() -= search.orthonormal * (search.orthonormal.transpose() * linear).eval();
  const double fresh = linear.squaredNorm();
  const bool independent = fresh > kDependent * whole;
  Eigen::VectorXd residual = search.residual;
  double linear_gain = 0;
  if (independent) {
    linear /= std::sqrt(fresh);
    const double along = linear.dot(residual);
    linear_gain = along * along;
    residual -= along * linear;
  }
  const Eigen::Index rows = terms + (independent ? 1 : 0);
  scratch.products.resize(rows, n);
  scratch.products.topRows(terms) =
      (search.orthonormal.array().colwise() * search.parent.array()).transpose();
  if (independent) scratch.products.row(terms) = linear.cwiseProduct(search.parent).transpose();

  // Running sums over the rows above the knot: of parent * q_j, parent * r, parent, parent², parent² * (x -
  // t).
  scratch.slopes.setZero(rows);
  scratch.inner.setZero(rows);  // q_j . (parent * (x - t)+)
  double residual_slope = 0;
  double residual_inner = 0;
  double parents = 0;
  double sum = 0;  // of parent * (x - t)+
  double squares = 0;
  double first = 0;
  double norm = 0;
  const auto used = static_cast<Eigen::Index>((search.parent.array() > 0).count());
  const Eigen::Index ends = end_span(search.factors, n, search.parent_degree);
  const Eigen::Index apart = least_span(search.factors, used);
  Eigen::Index until_next = start_span(n, ends, apart);
  double best_gain = 0;
  for (Eigen::Index i = 0; n - 2 - i >= ends; ++i) {
    const Eigen::Index row = search.order[static_cast<std::size_t>(i)];
    const double x = search.x[row];
    const double parent = search.parent[row];
    if (parent != 0) {
      scratch.slopes += scratch.products.col(row);
      residual_slope += parent * residual[row];
      parents += parent;
      squares += parent * parent;
    }
    const Eigen::Index next_row = search.order[static_cast<std::size_t>(i + 1)];
    const double next = search.x[next_row];
    const double step = x - next;
    if (step > 0) {
      norm += 2 * step * first + step * step * squares;
      first += step * squares;
      sum += step * parents;
      scratch.inner += step * scratch.slopes;
      residual_inner += step * residual_slope;
    }
    const double centred = norm - sum * sum / static_cast<double>(n);
    if (parent <= 0 || centred <= 0) continue;
    if (--until_next > 0) continue;
    until_next = apart;
    const double outside = norm - scratch.inner.squaredNorm();
    if (!(outside > least_share(rows) * centred)) continue;
    const double gain = residual_inner * residual_inner / outside;
    if (gain > best_gain) {
      best_gain = gain;
      found.knot = next;
    }
  }
  found.gain = linear_gain + best_gain;
  found.linear = best_gain <= 1e-10 * found.gain;
  return found;
}

}  // namespace weir::surface
