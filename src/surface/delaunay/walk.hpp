#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include <Eigen/Core>

namespace weir::surface {

// Points lifted to the paraboloid z = |x|²: their lower hull is the Delaunay triangulation. Heights are
// raised by tiny fixed amounts, different for each point, so that points on one sphere (on a grid: all of
// them) have one triangulation and a walk cannot go round in circles.
struct LiftedPoints {
  Eigen::MatrixXd at;      // n x m, about the centre
  Eigen::VectorXd height;  // the small amounts alone; |x|² is added near the place of use
  double extent = 0;       // largest distance from the centre
  bool told_apart = true;  // false: two points are so near, beside the extent, that a raise hides one

  explicit LiftedPoints(const Eigen::MatrixXd& points);
  Eigen::RowVectorXd centre;
};

// A simplex of the triangulation.
struct Simplex {
  std::vector<Eigen::Index> corners;  // m + 1
  Eigen::MatrixXd weights;            // barycentric coordinates of x: weights * [x - x_0; 1], x_0 corner 0
  Eigen::VectorXd slope;  // the plane through the lifted corners: slope . (x - x_0), above corner 0
  std::vector<std::ptrdiff_t> neighbours;  // across the facet opposite to each corner; kUnknown, kHull
  static constexpr std::ptrdiff_t kUnknown = -1;
  static constexpr std::ptrdiff_t kHull = -2;
};

// Walks from simplex to simplex, remembering those it has met (up to a bound on memory). Each step goes
// through the facet that the query lies furthest beyond; across it the next corner is the point that the
// facet's sphere meets first, a minimum ratio over all points: a step of the dual simplex method. Not
// thread-safe; make one for each thread.
class DelaunayWalk {
 public:
  explicit DelaunayWalk(const LiftedPoints& points);

  struct Place {
    const Simplex* simplex = nullptr;  // null where no simplex could be made at all
    Eigen::VectorXd weights;           // of its corners
    bool inside = false;               // false: the query lies beyond the hull, past this simplex
  };
  // The simplex around a query (about the centre). The walk starts where the last one ended.
  Place find(const Eigen::VectorXd& query);

  // The next walk starts where the very first one did: what a series of queries gives does not depend on
  // those before.
  void restart() { current_ = simplices_.empty() ? Simplex::kUnknown : 0; }

 private:
  std::ptrdiff_t first(const Eigen::VectorXd& query);
  std::ptrdiff_t cross(std::ptrdiff_t from, Eigen::Index facet);
  std::ptrdiff_t keep(std::vector<Eigen::Index> corners);

  const LiftedPoints& points_;
  std::vector<Simplex> simplices_;
  std::unordered_map<std::uint64_t, std::vector<std::ptrdiff_t>> by_corners_;
  std::ptrdiff_t current_ = Simplex::kUnknown;
  Eigen::VectorXd above_;  // scratch: height over the plane, and distance beyond the facet, of every point
  Eigen::VectorXd beyond_;
};

}  // namespace weir::surface
