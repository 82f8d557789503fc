#include "surface/delaunay/walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>

#include "base/random.hpp"
#include "surface/delaunay/scan.hpp"

namespace weir::surface {
namespace {

constexpr double kInside = -1e-9;  // least weight of a corner for a query that counts as inside
constexpr double kFar = 1e-12;     // a point this close to a facet's plane, relative to the extent, is in it
// In few dimensions a walk from the last query passes simplices it already knows; in many it meets new ones
// at every step, and starting near the query is shorter.
constexpr Eigen::Index kFewFactors = 6;
constexpr std::ptrdiff_t kMostNumbers = 16000000;  // 128 MB of remembered simplices
constexpr int kMostSteps = 100000;
constexpr double kAboveRounding = 4e-15;  // of squared distances, relative to the largest

// The smallest gap between different values in any column, 0 where there is none.
double smallest_gap(const Eigen::MatrixXd& at) {
  double least = std::numeric_limits<double>::infinity();
  std::vector<double> column(static_cast<std::size_t>(at.rows()));
  for (Eigen::Index j = 0; j < at.cols(); ++j) {
    Eigen::Map<Eigen::VectorXd>(column.data(), at.rows()) = at.col(j);
    std::sort(column.begin(), column.end());
    for (std::size_t i = 1; i < column.size(); ++i)
      if (column[i] > column[i - 1]) least = std::min(least, column[i] - column[i - 1]);
  }
  return std::isfinite(least) ? least : 0;
}

// Whether two points lie within a distance of each other. The column with the most values is swept.
bool any_within(const Eigen::MatrixXd& at, double distance) {
  std::vector<Eigen::Index> order;
  std::size_t most = 0;
  Eigen::Index swept = 0;
  for (Eigen::Index j = 0; j < at.cols(); ++j) {
    std::vector<double> column(at.col(j).begin(), at.col(j).end());
    std::sort(column.begin(), column.end());
    const auto values = static_cast<std::size_t>(std::unique(column.begin(), column.end()) - column.begin());
    if (values > most) {
      most = values;
      swept = j;
    }
  }
  for (Eigen::Index i = 0; i < at.rows(); ++i) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](Eigen::Index a, Eigen::Index b) { return at(a, swept) < at(b, swept); });
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t k = i + 1; k < order.size(); ++k) {
      if (at(order[k], swept) - at(order[i], swept) > distance) break;
      if ((at.row(order[k]) - at.row(order[i])).squaredNorm() < distance * distance) return true;
    }
  return false;
}

std::uint64_t hash_of(const std::vector<Eigen::Index>& corners) {
  std::uint64_t hash = 0;
  for (const Eigen::Index corner : corners) {
    std::uint64_t mixed = static_cast<std::uint64_t>(corner) + 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    hash += mixed ^ (mixed >> 31);  // the same for any order of the corners
  }
  return hash;
}

}  // namespace

LiftedPoints::LiftedPoints(const Eigen::MatrixXd& points) : centre(points.colwise().mean()) {
  at = points.rowwise() - centre;
  extent = at.rowwise().norm().maxCoeff();
  // Large enough to stand above rounding, small enough to decide only what the points leave open.
  const double gap = smallest_gap(at);
  const double size = std::max(1e-6 * gap * gap, kAboveRounding * extent * extent);
  // All others lie at least the square of their distance above the plane that touches the paraboloid in a
  // point: raised by less, it stays on the lower hull.
  told_apart = !any_within(at, std::sqrt(10 * kAboveRounding) * extent);
  Random random(20180419);
  height.resize(at.rows());
  for (Eigen::Index i = 0; i < at.rows(); ++i) height[i] = size * random.uniform();
}

DelaunayWalk::DelaunayWalk(const LiftedPoints& points) : points_(points) {}

std::ptrdiff_t DelaunayWalk::keep(std::vector<Eigen::Index> corners) {
  std::sort(corners.begin(), corners.end());  // a simplex is the same bits from wherever it was reached
  auto& same_hash = by_corners_[hash_of(corners)];
  for (const std::ptrdiff_t known : same_hash)
    if (simplices_[static_cast<std::size_t>(known)].corners == corners) return known;
  const Eigen::Index m = points_.at.cols();
  Simplex simplex;
  const Eigen::RowVectorXd origin = points_.at.row(corners.front());
  Eigen::MatrixXd edges(m, m);
  Eigen::VectorXd lift(m);
  for (Eigen::Index j = 0; j < m; ++j) {
    const Eigen::Index corner = corners[static_cast<std::size_t>(j + 1)];
    edges.row(j) = points_.at.row(corner) - origin;
    lift[j] = edges.row(j).squaredNorm() + points_.height[corner] - points_.height[corners.front()];
  }
  const Eigen::MatrixXd inverse = edges.inverse();
  if (!inverse.allFinite()) return Simplex::kHull;
  simplex.slope = inverse * lift;
  simplex.weights.resize(m + 1, m + 1);
  simplex.weights.bottomRows(m).leftCols(m) = inverse.transpose();
  simplex.weights.bottomRows(m).col(m).setZero();
  simplex.weights.row(0).head(m) = -inverse.rowwise().sum().transpose();
  simplex.weights(0, m) = 1;
  simplex.corners = std::move(corners);
  simplex.neighbours.assign(static_cast<std::size_t>(m + 1), Simplex::kUnknown);
  simplices_.push_back(std::move(simplex));
  same_hash.push_back(static_cast<std::ptrdiff_t>(simplices_.size()) - 1);
  return same_hash.back();
}

// Starts with the plane that touches the paraboloid at the point nearest to the query, which lies below all
// others, and tilts it about what it touches, towards the query, until it meets the next point; m times.
std::ptrdiff_t DelaunayWalk::first(const Eigen::VectorXd& query) {
  const Eigen::Index n = points_.at.rows();
  const Eigen::Index m = points_.at.cols();
  Eigen::Index nearest = 0;
  const Eigen::VectorXd squared =
      (points_.at.rowwise() - query.transpose()).rowwise().squaredNorm() + points_.height;
  squared.minCoeff(&nearest);
  const Eigen::RowVectorXd origin = points_.at.row(nearest);
  const Eigen::MatrixXd from = points_.at.rowwise() - origin;
  const Eigen::VectorXd lift =
      from.rowwise().squaredNorm() + points_.height - Eigen::VectorXd::Constant(n, points_.height[nearest]);
  Eigen::VectorXd slope = Eigen::VectorXd::Zero(m);
  // With the heights raised, the plane of slope 0 may cut off a neighbour of the nearest point by a hair only
  // where two points are closer than the raise; such points do not exist (see LiftedPoints).
  std::vector<Eigen::Index> corners = {nearest};
  std::vector<bool> taken(static_cast<std::size_t>(n), false);
  taken[static_cast<std::size_t>(nearest)] = true;
  Eigen::MatrixXd spanned(m, 0);  // orthonormal, of the face so far
  for (Eigen::Index k = 0; k < m; ++k) {
    const auto left_over = [&](Eigen::VectorXd direction) {
      for (int again = 0; again < 2; ++again) direction -= spanned * (spanned.transpose() * direction);
      return direction;
    };
    Eigen::VectorXd direction = left_over(query - origin.transpose());
    if (direction.norm() < 1e-6 * (query - origin.transpose()).norm() ||
        direction.norm() < kFar * points_.extent) {
      direction.setZero();
      for (Eigen::Index j = 0; j < m; ++j) {
        const Eigen::VectorXd other = left_over(Eigen::VectorXd::Unit(m, j));
        if (other.norm() > direction.norm() + 1e-3) direction = other;
      }
    }
    direction.normalize();
    above_ = lift - from * slope;
    beyond_ = from * direction;
    Eigen::Index entering = -1;
    for (const double sign : {1.0, -1.0}) {
      double least = std::numeric_limits<double>::infinity();
      for (Eigen::Index i = 0; i < n; ++i) {
        const double past = sign * beyond_[i];
        if (past <= kFar * points_.extent || taken[static_cast<std::size_t>(i)]) continue;
        const double ratio = above_[i] / past;
        if (ratio < least) {
          least = ratio;
          entering = i;
        }
      }
      if (entering >= 0) {
        slope += sign * least * direction;
        break;
      }
    }
    if (entering < 0) return Simplex::kHull;  // all points lie in one plane
    Eigen::VectorXd fresh = left_over(from.row(entering).transpose());
    spanned.conservativeResize(Eigen::NoChange, k + 1);
    spanned.col(k) = fresh.normalized();
    taken[static_cast<std::size_t>(entering)] = true;
    corners.push_back(entering);
  }
  return keep(std::move(corners));
}

std::ptrdiff_t DelaunayWalk::cross(std::ptrdiff_t index, Eigen::Index facet) {
  const std::ptrdiff_t known =
      simplices_[static_cast<std::size_t>(index)].neighbours[static_cast<std::size_t>(facet)];
  if (known != Simplex::kUnknown) return known;
  const Simplex& from = simplices_[static_cast<std::size_t>(index)];
  const Eigen::Index m = points_.at.cols();
  const Eigen::VectorXd origin = points_.at.row(from.corners.front()).transpose();
  const Eigen::VectorXd normal = from.weights.row(facet).head(m).transpose();
  const Eigen::Index entering = first_met({.points = points_.at.data(),
                                           .heights = points_.height.data(),
                                           .n = points_.at.rows(),
                                           .m = m,
                                           .origin = origin.data(),
                                           .raise = points_.height[from.corners.front()],
                                           .normal = normal.data(),
                                           .offset = from.weights(facet, m),
                                           .slope = from.slope.data(),
                                           .flat = kFar * points_.extent * normal.norm()});
  std::ptrdiff_t to = Simplex::kHull;
  if (entering >= 0) {
    std::vector<Eigen::Index> corners = from.corners;
    corners[static_cast<std::size_t>(facet)] = entering;
    to = keep(std::move(corners));
    if (to >= 0) {
      Simplex& next = simplices_[static_cast<std::size_t>(to)];
      for (std::size_t j = 0; j < next.corners.size(); ++j)
        if (next.corners[j] == entering) next.neighbours[j] = index;
    }
  }
  simplices_[static_cast<std::size_t>(index)].neighbours[static_cast<std::size_t>(facet)] = to;
  return to;
}

DelaunayWalk::Place DelaunayWalk::find(const Eigen::VectorXd& query) {
  if (static_cast<std::ptrdiff_t>(simplices_.size()) * (points_.at.cols() + 2) * (points_.at.cols() + 2) >
      kMostNumbers) {
    simplices_.clear();
    by_corners_.clear();
    current_ = Simplex::kUnknown;
  }
  if (current_ < 0 || points_.at.cols() > kFewFactors) current_ = first(query);
  Place place;
  if (current_ < 0) return place;
  const Eigen::Index m = points_.at.cols();
  for (int step = 0; step < kMostSteps; ++step) {
    const Simplex& simplex = simplices_[static_cast<std::size_t>(current_)];
    place.weights =
        simplex.weights.leftCols(m) * (query - points_.at.row(simplex.corners.front()).transpose()) +
        simplex.weights.col(m);
    Eigen::Index facet = 0;
    const double least = place.weights.minCoeff(&facet);
    place.simplex = &simplex;
    if (least >= kInside) {
      place.inside = true;
      return place;
    }
    const std::ptrdiff_t next = cross(current_, facet);
    if (next == Simplex::kHull) {  // a facet of the hull, with the query beyond it
      place.simplex = &simplices_[static_cast<std::size_t>(current_)];
      return place;
    }
    current_ = next;
  }
  return place;
}

}  // namespace weir::surface
