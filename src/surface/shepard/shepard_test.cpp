#include "surface/shepard/shepard.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "surface/points_test.hpp"

namespace weir::surface {
namespace {

// Direct evaluation of the formulas of Cameron et al. (2018), section 5.1, in NumPy 1.24 with
// lstsq(rcond=1e-3 and 0.03: no singular value lies between).
TEST(Shepard, AgreesWithDirectEvaluationOfTheFormula) {
  const Eigen::MatrixXd at = points::weyl(60, 3);
  const auto map = fit_shepard(at, points::bumpy(at));
  ASSERT_TRUE(map);
  const auto made = (*map)->predict(points::weyl(4, 3, 1000), false);
  const std::array expected = {2.2484974621769385, 0.6224489568987015, 2.174206754842801, 2.143612025347559};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(made.value[i], expected[static_cast<std::size_t>(i)], 1e-9);
    EXPECT_FALSE(made.outside[static_cast<std::size_t>(i)]);
  }
}

// The same source: inverse-square weights of the 4 nearest values, far from all radii.
TEST(Shepard, BeyondAllRadiiTheNearestValuesCount) {
  const Eigen::MatrixXd at = points::weyl(60, 3);
  const auto map = fit_shepard(at, points::bumpy(at));
  const auto made = (*map)->predict(Eigen::RowVector3d(3, 3, 3), false);
  EXPECT_NEAR(made.value[0], 3.330298992747782, 1e-9);
  EXPECT_TRUE(made.outside[0]);
}

// Two close points of very different values make a slope that leads anywhere within a far neighbour's radius.
TEST(Shepard, APlaneLeadsNoFurtherThanAQuarterBeyondTheData) {
  Eigen::MatrixXd at(4, 2);
  at << 0, 0, 0.01, 0, 1, 0, 0, 1;
  const auto map = fit_shepard(at, Eigen::Vector4d(0, 8, 3, 4));
  ASSERT_TRUE(map);
  const Eigen::MatrixXd queries = points::weyl(500, 2);
  const auto made = (*map)->predict(queries, false);
  EXPECT_GE(made.value.minCoeff(), 0 - 2 - 1e-9);
  EXPECT_LE(made.value.maxCoeff(), 8 + 2 + 1e-9);
  EXPECT_GT(made.value.maxCoeff(), 8) << "no plane leads beyond the data here: the test asks nothing";
}

TEST(Shepard, GoesThroughTheData) {
  const Eigen::MatrixXd at = points::weyl(40, 2);
  const Eigen::VectorXd value = points::bumpy(at);
  const auto map = fit_shepard(at, value);
  EXPECT_EQ((*map)->predict(at, false).value, value);
}

// Two points in one dimension, by hand: N_p = 2, so each radius is the distance 1, cut to D/2 = 1/2. In the
// middle neither reaches; at 1/4 only the first does, with the slope of the line through both.
TEST(Shepard, TwoPointsByHand) {
  const Eigen::MatrixXd at = Eigen::Vector2d(0, 1);
  const auto map = fit_shepard(at, Eigen::Vector2d(10, 20));
  const auto made = (*map)->predict(Eigen::Vector3d(0.25, 0.5, 0.75), false);
  EXPECT_NEAR(made.value[0], 12.5, 1e-9);
  EXPECT_NEAR(made.value[1], 15, 1e-9);
  EXPECT_TRUE(made.outside[1]);
  EXPECT_NEAR(made.value[2], 17.5, 1e-9);
}

// Neighbours that all but lie in a line leave a slope across it open. A fit that follows the hair's breadth
// between them would extrapolate to values in the thousands.
TEST(Shepard, NearlyDegenerateNeighboursDoNotExplode) {
  Eigen::MatrixXd at(8, 2);
  Eigen::VectorXd value(8);
  for (int i = 0; i < 8; ++i) {
    at.row(i) << i, 1e-5 * (i % 2);
    value[i] = i % 2;
  }
  const auto map = fit_shepard(at, value);
  const auto made = (*map)->predict(Eigen::RowVector2d(3.5, 0.3), false);
  EXPECT_LT(std::abs(made.value[0]), 10);
}

TEST(Shepard, OnePointIsTooFew) {
  EXPECT_FALSE(fit_shepard(Eigen::MatrixXd::Zero(1, 2), Eigen::VectorXd::Zero(1)));
}

}  // namespace
}  // namespace weir::surface
