#include "surface/linear/linear.hpp"

#include <gtest/gtest.h>

#include "surface/points_test.hpp"

namespace weir::surface {
namespace {

TEST(Linear, FindsAPlaneExactly) {
  const Eigen::MatrixXd at = points::weyl(20, 3) * 1e6;
  const Eigen::VectorXd value = 5 + (2e-6 * at.col(0) - 3e-6 * at.col(2)).array();
  const auto line = fit_linear(at, value, false);
  ASSERT_TRUE(line);
  const auto made = (*line)->predict(at.topRows(3) * 0.5, false);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(made.value[i], 5 + 1e-6 * at(i, 0) - 1.5e-6 * at(i, 2), 1e-9);
}

TEST(Linear, InteractionsAreProductsOfTwoFactors) {
  const Eigen::MatrixXd at = points::grid(3, 2);
  const Eigen::VectorXd value = at.col(0).cwiseProduct(at.col(1));
  const Eigen::MatrixXd query = Eigen::RowVector2d(1.5, 0.5);
  EXPECT_NEAR((*fit_linear(at, value, true))->predict(query, false).value[0], 0.75, 1e-12);
  // The additive fit of x y on {0, 1, 2}² is x + y - 1.
  EXPECT_NEAR((*fit_linear(at, value, false))->predict(query, false).value[0], 1.0, 1e-12);
}

// The line through (0, 0), (1, 1), (2, 0) is flat.
TEST(Linear, BeyondTheDataIsMarked) {
  const Eigen::MatrixXd at = Eigen::Vector3d(0, 1, 2);
  const auto made =
      (*fit_linear(at, Eigen::Vector3d(0, 1, 0), false))->predict(Eigen::Vector2d(1.5, 3), false);
  EXPECT_NEAR(made.value[1], 1.0 / 3, 1e-12);
  EXPECT_EQ(made.outside, (std::vector<bool>{false, true}));
}

TEST(Linear, CollinearFactorsStillHaveAnAnswer) {
  Eigen::MatrixXd at(5, 2);
  at.col(0) << 1, 2, 3, 4, 5;
  at.col(1) = 2 * at.col(0);
  const auto line = fit_linear(at, at.col(0) * 3, false);
  ASSERT_TRUE(line);
  EXPECT_NEAR((*line)->predict(Eigen::RowVector2d(2.5, 5), false).value[0], 7.5, 1e-9);
}

}  // namespace
}  // namespace weir::surface
