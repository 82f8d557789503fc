#include "surface/mars/mars.hpp"

#include <cmath>
#include <limits>

#include <Eigen/QR>
#include <gtest/gtest.h>

#include "surface/mars/forward.hpp"
#include "surface/mars/knots.hpp"
#include "surface/points_test.hpp"

namespace weir::surface {
namespace {

// RSS and GCV of R's earth 5.3.2, degree 1 (penalty 2), 8 terms on the 810 rows of the fread map.
TEST(Mars, GcvIsThatOfEarth) { EXPECT_NEAR(mars_gcv(2.311459e17, 810, 8, 2) / 2.962354e14, 1, 1e-6); }

TEST(Mars, GcvOfAsManyParametersAsRowsIsInfinite) {
  EXPECT_EQ(mars_gcv(1, 10, 5, 3), std::numeric_limits<double>::infinity());
}

// Friedman (1991), equations 43 and 45, at alpha 0.05: earth 5.3.2 prints "minspan 6 endspan 9" for 810 x 4.
TEST(Mars, SpansAreThoseOfEarth) {
  EXPECT_EQ(end_span(4, 810, 0), 9);
  EXPECT_EQ(end_span(4, 810, 1), 27);
  EXPECT_EQ(end_span(4, 20, 1), 9);
  EXPECT_EQ(least_span(4, 810), 6);
}

TEST(Mars, FindsAHingeExactly) {
  Eigen::MatrixXd at(101, 1);
  for (int i = 0; i < 101; ++i) at(i, 0) = i;
  const Eigen::VectorXd value = 3 + 2 * (at.col(0).array() - 40).max(0.0);
  const auto model = Mars::fit(at, value, {.degree = 1, .fast = 0});
  ASSERT_TRUE(model);
  EXPECT_NEAR((*model)->rss(), 0, 2e-3 * (value.array() - value.mean()).square().sum());
  Eigen::MatrixXd query(2, 1);
  query << 10.5, 90.5;
  const auto made = (*model)->predict(query, false);
  EXPECT_NEAR(made.value[0], 3, 1.5);
  EXPECT_NEAR(made.value[1], 104, 1.5);
}

// Two hinges and their product with a little noise. earth 5.3.2 with degree = 2: RSS 0.01705661774, GCV
// 0.0001892376228, 7 of 9 terms; its predictions at three places.
TEST(Mars, ComesOutAsEarthDoes) {
  const Eigen::MatrixXd at = points::weyl(120, 2);
  Eigen::VectorXd value(120);
  for (Eigen::Index i = 0; i < 120; ++i) {
    const double a = std::max(0.0, at(i, 0) - 0.4);
    const double b = std::max(0.0, 0.6 - at(i, 1));
    value[i] = 2 * a - b + 3 * a * b + 0.01 * std::sin(50.0 * static_cast<double>(i + 1));
  }
  const auto model = Mars::fit(at, value, {.degree = 2});
  ASSERT_TRUE(model);
  EXPECT_NEAR((*model)->gcv() / 0.0001892376228, 1, 1e-6);
  Eigen::MatrixXd query(3, 2);
  query << 0.2, 0.3, 0.5, 0.5, 0.9, 0.8;
  const auto made = (*model)->predict(query, false);
  EXPECT_NEAR(made.value[0], -0.2926170521, 1e-6);
  EXPECT_NEAR(made.value[1], 0.1237171523, 1e-6);
  EXPECT_NEAR(made.value[2], 1.006346032, 1e-6);
}

// sin(3 x1) + x1² + x2² + x1 x2. earth 5.3.2: degree 1 GCV 0.008199511482, degree 2 GCV 0.001486783238.
TEST(Mars, GcvIsThatOfEarthOnASmoothSurface) {
  const Eigen::MatrixXd at = points::weyl(120, 2);
  const Eigen::VectorXd value = points::bumpy(at);
  EXPECT_NEAR((*Mars::fit(at, value, {.degree = 1}))->gcv() / 0.008199511482, 1, 1e-6);
  EXPECT_NEAR((*Mars::fit(at, value, {.degree = 2}))->gcv() / 0.001486783238, 1, 1e-6);
}

// The fast queue only leaves out parents that gained little; with room for all it changes nothing.
TEST(Mars, DegreeLimitHolds) {
  const Eigen::MatrixXd at = points::weyl(200, 4);
  for (const int degree : {1, 2, 3}) {
    const auto model = Mars::fit(at, points::bumpy(at), {.degree = degree});
    for (const MarsTerm& term : (*model)->terms()) EXPECT_LE(term.size(), static_cast<std::size_t>(degree));
  }
}

TEST(Mars, AConstantResponseIsItsConstant) {
  const Eigen::MatrixXd at = points::weyl(30, 2);
  const auto model = Mars::fit(at, Eigen::VectorXd::Constant(30, 7.5), {});
  EXPECT_EQ((*model)->terms().size(), 1U);
  EXPECT_NEAR((*model)->predict(at, false).value[3], 7.5, 1e-12);
}

// Knot search against least squares at single knots. Candidates lie a span apart, so the best may lie between
// two.
TEST(Mars, KnotSearchFindsWhatTryingAllFinds) {
  const Eigen::Index n = 60;
  const Eigen::MatrixXd at = points::weyl(n, 1);
  const Eigen::VectorXd value = points::bumpy(at).array().sin();
  const MarsBasis basis =
      mars_forward(at, (value.array() - value.mean()).matrix(), {.degree = 1, .terms = 3});
  ASSERT_EQ(basis.terms.size(), 3U);
  const double knot = basis.terms[1].front().knot;
  const auto rss = [&](double t) {
    Eigen::MatrixXd columns(n, 3);
    columns.col(0).setOnes();
    columns.col(1) = at.col(0);
    columns.col(2) = (at.col(0).array() - t).max(0.0);
    return (value - columns * columns.colPivHouseholderQr().solve(value)).squaredNorm();
  };
  const double found = rss(knot);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto below = (at.col(0).array() < at(i, 0)).count();
    if (below < 10 || below > n - 12 || below % 5 != 0) continue;
    EXPECT_LE(found, 1.1 * rss(at(i, 0))) << at(i, 0);
  }
}

}  // namespace
}  // namespace weir::surface
