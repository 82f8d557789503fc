#include "surface/delaunay/delaunay.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "surface/delaunay/hull.hpp"
#include "surface/delaunay/walk.hpp"
#include "surface/points_test.hpp"

namespace weir::surface {
namespace {

struct Reference {
  Eigen::Index m;
  Eigen::Index n;
  std::array<double, 5> values;
};

// scipy.interpolate.LinearNDInterpolator (SciPy 1.10, Qhull 2020.2) of the same points, in general position.
TEST(Delaunay, InterpolatesAsQhullDoes) {
  const std::vector<Reference> references = {
      {2, 40, {1.86275228527, 1.55501797622, 1.64283472684, 2.01323177642, 1.7097668791}},
      {3, 60, {2.02762192619, 1.75998399814, 1.96356461484, 2.06414198823, 1.84656475734}},
      {4, 120, {2.24666913187, 1.97343128149, 2.31186692677, 2.28305761661, 2.29753526821}},
      {6, 150, {2.75227843397, 2.51546091817, 2.76948180854, 3.13507819853, 2.82502546734}}};
  for (const Reference& reference : references) {
    const Eigen::MatrixXd at = points::weyl(reference.n, reference.m);
    const auto map = fit_delaunay(at, points::bumpy(at));
    ASSERT_TRUE(map);
    const Eigen::MatrixXd queries = 0.5 + 0.2 * (points::weyl(5, reference.m, 1000).array() - 0.5);
    const auto made = (*map)->predict(queries, false);
    for (int i = 0; i < 5; ++i) {
      EXPECT_NEAR(made.value[i], reference.values[static_cast<std::size_t>(i)], 1e-9) << reference.m;
      EXPECT_FALSE(made.outside[static_cast<std::size_t>(i)]);
    }
  }
}

// A square cut in two by hand: at (0.25, 0.5) the value depends on the diagonal only.
TEST(Delaunay, ATriangleByHand) {
  Eigen::MatrixXd at(3, 2);
  at << 0, 0, 4, 0, 0, 4;
  const auto map = fit_delaunay(at, Eigen::Vector3d(1, 5, 9));
  const auto made = (*map)->predict(Eigen::RowVector2d(1, 1), false);
  EXPECT_NEAR(made.value[0], 1 + 1 + 2, 1e-12);
}

// No point lies inside the circumsphere of a simplex that a walk has met, on grids (where all are on many)
// and off.
TEST(Delaunay, CircumspheresAreEmpty) {
  for (const bool on_grid : {false, true}) {
    const Eigen::MatrixXd at = on_grid ? points::grid(4, 3) : points::weyl(80, 3);
    const LiftedPoints points(at);
    DelaunayWalk walk(points);
    for (Eigen::Index i = 0; i < 50; ++i) {
      const Eigen::VectorXd query =
          ((on_grid ? 3.0 : 1.0) * points::weyl(1, 3, static_cast<int>(500 + i))).row(0) - points.centre;
      const auto place = walk.find(query);
      ASSERT_NE(place.simplex, nullptr);
      const Eigen::RowVectorXd corner = points.at.row(place.simplex->corners.front());
      const Eigen::RowVectorXd centre = corner + place.simplex->slope.transpose() / 2;
      const double squared = (corner - centre).squaredNorm();
      for (Eigen::Index k = 0; k < at.rows(); ++k)
        EXPECT_GT((points.at.row(k) - centre).squaredNorm(), squared * (1 - 1e-5)) << on_grid << " " << i;
    }
  }
}

// On a grid any triangulation reproduces a linear function, with no simplex missing or counted twice; values
// at grid points are met exactly.
TEST(Delaunay, GridsOfManyEqualDistancesAreNoProblem) {
  for (const int m : {2, 3, 4, 5}) {
    const Eigen::MatrixXd at = points::grid(m < 5 ? 4 : 3, m);
    const Eigen::VectorXd value = at * Eigen::VectorXd::LinSpaced(m, 1, m);
    const auto map = fit_delaunay(at, value);
    ASSERT_TRUE(map);
    const Eigen::MatrixXd queries = (m < 5 ? 3.0 : 2.0) * points::weyl(100, m, 77);
    const auto made = (*map)->predict(queries, false);
    const Eigen::VectorXd expected = queries * Eigen::VectorXd::LinSpaced(m, 1, m);
    EXPECT_LT((made.value - expected).cwiseAbs().maxCoeff(), 1e-9) << m;
    EXPECT_LT(((*map)->predict(at, false).value - value).cwiseAbs().maxCoeff(), 1e-9) << m;
  }
}

// Units that differ by many orders of magnitude: every training value is met, or the units are named.
TEST(Delaunay, NoPointIsHiddenByUnits) {
  int fitted = 0;
  for (const double wide : {1.0, 1e3, 9e5, 1e9}) {
    Eigen::MatrixXd at = points::grid(11, 2);
    at.col(0) *= 0.1;
    at.col(1) *= wide / 10;
    const Eigen::VectorXd value = (at.col(0) * 30).array().sin() + (at.col(1) / wide).array();
    const auto map = fit_delaunay(at, value);
    if (!map) {
      EXPECT_NE(map.error().text().find("units"), std::string::npos);
      continue;
    }
    ++fitted;
    EXPECT_LT(((*map)->predict(at, false).value - value).cwiseAbs().maxCoeff(), 1e-6) << wide;
  }
  EXPECT_EQ(fitted, 3);
}

// Beyond the hull, the value at the nearest point of it.
TEST(Delaunay, OutsideTheHullProjects) {
  const Eigen::MatrixXd at = points::grid(3, 2);
  const auto map = fit_delaunay(at, at.col(0));
  Eigen::MatrixXd queries(2, 2);
  queries << 0.5, 7, -3, 1;
  const auto made = (*map)->predict(queries, false);
  EXPECT_NEAR(made.value[0], 0.5, 1e-9);
  EXPECT_NEAR(made.value[1], 0, 1e-9);
  EXPECT_TRUE(made.outside[0]);
  EXPECT_TRUE(made.outside[1]);
}

// Wolfe's answer meets the condition of optimality: the hull lies beyond the plane through the nearest point.
TEST(Delaunay, NearestPointOfTheHullIsOptimal) {
  const Eigen::MatrixXd at = points::weyl(300, 6);
  for (int i = 0; i < 30; ++i) {
    const Eigen::VectorXd query = 2 * points::weyl(1, 6, 4000 + i).row(0).transpose();
    const Eigen::VectorXd nearest = project_onto_hull(at, query);
    const Eigen::VectorXd from = nearest - query;
    const double closest = (at.rowwise() - query.transpose()).operator*(from).minCoeff();
    EXPECT_GE(closest, from.squaredNorm() - 1e-8);
  }
}

// Twenty factors: the walk still ends in a simplex that holds the query.
TEST(Delaunay, ManyFactorsWork) {
  const Eigen::Index m = 20;
  Random random(3);
  Eigen::MatrixXd at(400, m);
  for (Eigen::Index i = 0; i < at.rows(); ++i)
    for (Eigen::Index j = 0; j < m; ++j) at(i, j) = random.uniform();
  const Eigen::VectorXd slope = Eigen::VectorXd::LinSpaced(m, -1, 2);
  const auto map = fit_delaunay(at, at * slope);
  ASSERT_TRUE(map);
  const Eigen::MatrixXd inside = 0.5 + 0.1 * (at.topRows(10).array() - 0.5);
  const auto made = (*map)->predict(inside, false);
  for (int i = 0; i < 10; ++i) {
    if (made.outside[static_cast<std::size_t>(i)]) continue;
    EXPECT_NEAR(made.value[i], inside.row(i).dot(slope), 1e-7);
  }
  EXPECT_FALSE(made.outside[0]);
}

TEST(Delaunay, TooFewOrFlatPointsAreNamed) {
  EXPECT_FALSE(fit_delaunay(points::weyl(3, 3), Eigen::Vector3d(1, 2, 3)));
  Eigen::MatrixXd flat = points::weyl(10, 2);
  flat.col(1) = 2 * flat.col(0);
  const auto map = fit_delaunay(flat, flat.col(0));
  ASSERT_FALSE(map);
  EXPECT_NE(map.error().text().find("one plane"), std::string::npos);
}

}  // namespace
}  // namespace weir::surface
