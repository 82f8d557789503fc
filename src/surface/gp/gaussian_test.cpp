#include "surface/gp/gaussian.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "surface/gp/likelihood.hpp"
#include "surface/points_test.hpp"

namespace weir::surface {
namespace {

struct Reference {
  Kernel kernel;
  std::array<double, 2> value;
  std::array<double, 2> variance;
};

// The equations of Rasmussen and Williams (2006), sections 2.2 and 2.7 with a constant mean, by dense
// inverses in NumPy 1.24; lengths 0.5 and 0.8, signal 1.5, noise 0.01.
TEST(Gaussian, AgreesWithDirectEvaluation) {
  const std::array references = {Reference{Kernel::radial_3,
                                           {2.4682268394707068, 0.42377187368643066},
                                           {0.021191578293912373, 0.022992880659918644}},
                                 Reference{Kernel::radial_5,
                                           {2.4680277889263826, 0.419674784465359},
                                           {0.015086093445783738, 0.01678042831590638}},
                                 Reference{Kernel::product_1,
                                           {2.471469901172243, 0.45564806703003136},
                                           {0.17184803645499558, 0.18954463847445835}},
                                 Reference{Kernel::product_3,
                                           {2.467933080178575, 0.422843876230911},
                                           {0.018772001048914567, 0.021584300407565864}}};
  const Eigen::MatrixXd at = points::weyl(30, 2);
  for (const Reference& reference : references) {
    GaussianSettings settings;
    settings.kernel = reference.kernel;
    settings.lengths = Eigen::Vector2d(0.5, 0.8);
    settings.signal = 1.5;
    settings.noise = 0.01;
    const Gaussian process(at, points::bumpy(at), settings);
    const auto made = process.predict(points::weyl(2, 2, 1000), true);
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(made.value[i], reference.value[static_cast<std::size_t>(i)], 1e-7)
          << name(reference.kernel);
      EXPECT_NEAR(made.variance[i], reference.variance[static_cast<std::size_t>(i)], 1e-7)
          << name(reference.kernel);
    }
  }
}

// The slopes that the search follows are those of the correlation, by differences.
TEST(Gaussian, SlopesOfTheCorrelationAreRight) {
  const Eigen::MatrixXd distances = points::weyl(40, 3);
  for (const Kernel kernel : kKernels) {
    GaussianSettings settings;
    settings.kernel = kernel;
    settings.lengths = Eigen::Vector3d(0.4, 0.9, 1.5);
    Eigen::ArrayXd correlation;
    Eigen::ArrayXXd slopes;
    correlate_pairs(distances, settings, correlation, slopes);
    for (int j = 0; j < 3; ++j) {
      Eigen::ArrayXd up;
      Eigen::ArrayXd down;
      Eigen::ArrayXXd unused;
      GaussianSettings moved = settings;
      moved.lengths[j] = settings.lengths[j] * std::exp(1e-5);
      correlate_pairs(distances, moved, up, unused);
      moved.lengths[j] = settings.lengths[j] * std::exp(-1e-5);
      correlate_pairs(distances, moved, down, unused);
      EXPECT_LT(((up - down) / 2e-5 - slopes.col(j)).abs().maxCoeff(), 1e-8) << name(kernel);
    }
  }
}

// No settings nearby are more likely than those found. Minus the log-likelihood for given settings is
// 0.01445303 (Matérn 3/2, the reference above), which the search must beat.
TEST(Gaussian, TheSearchFindsALikelyMaximum) {
  const Eigen::MatrixXd at = points::weyl(30, 2);
  const auto found = maximise_likelihood(at, points::bumpy(at), Kernel::radial_3, 100, 1);
  EXPECT_LT(found.minus_log_likelihood, 0.01445303);
}

TEST(Gaussian, PredictsASmoothSurfaceAndKnowsHowWell) {
  const Eigen::MatrixXd at = points::weyl(150, 3);
  const auto fitted = fit_gaussian(at, points::bumpy(at), {});
  ASSERT_TRUE(fitted);
  const Eigen::MatrixXd queries = 0.1 + 0.8 * points::weyl(100, 3, 5000).array();
  const auto made = (*fitted)->predict(queries, true);
  const Eigen::VectorXd truth = points::bumpy(queries);
  int covered = 0;
  for (Eigen::Index i = 0; i < 100; ++i)
    if (std::abs(made.value[i] - truth[i]) < 2.6 * std::sqrt(made.variance[i])) ++covered;
  EXPECT_LT((made.value - truth).cwiseAbs().mean(), 0.02);
  EXPECT_GE(covered, 90);
}

// Points so near each other, for the lengths, that the plain matrix is singular but for its jitter.
TEST(Gaussian, SolvesForOtherValuesAtItsPoints) {
  GaussianSettings settings;
  settings.kernel = Kernel::radial_5;
  settings.lengths = Eigen::Vector2d(1000, 1000);
  settings.signal = 1;
  settings.noise = 0;
  const Eigen::MatrixXd at = points::weyl(60, 2);
  const Eigen::MatrixXd values = points::weyl(60, 3);
  const Gaussian process(at, values.col(0), settings);
  const Eigen::MatrixXd solved = process.solve(values);
  ASSERT_TRUE(solved.allFinite());
  // The plain matrix is the factored one up to the jitter on its diagonal, 1e-8 or a few orders more.
  const Eigen::MatrixXd left = values - correlations(at, at, settings) * solved;
  const Eigen::VectorXd jitter = left.colwise().norm().array() / solved.colwise().norm().array();
  EXPECT_LT((jitter.array() - jitter[0]).abs().maxCoeff(), 1e-3 * jitter[0] + 1e-9);
}

TEST(Gaussian, SettingsSurviveAsNumbers) {
  GaussianSettings settings;
  settings.kernel = Kernel::product_1;
  settings.lengths = Eigen::Vector3d(1, 2, 3);
  settings.signal = 4;
  settings.noise = 5;
  const auto back = GaussianSettings::from_numbers(settings.numbers());
  EXPECT_EQ(back.kernel, settings.kernel);
  EXPECT_EQ(back.lengths, settings.lengths);
  EXPECT_EQ(back.signal, 4);
  EXPECT_EQ(back.noise, 5);
}

// Variance falls when a point is added there, and the covariance of a set with itself has it on its diagonal.
TEST(Gaussian, CovarianceAgreesWithVariance) {
  const Eigen::MatrixXd at = points::weyl(30, 2);
  const auto fitted = fit_gaussian(at, points::bumpy(at), {});
  const auto& process = dynamic_cast<const Gaussian&>(**fitted);
  const Eigen::MatrixXd queries = points::weyl(5, 2, 900);
  const auto made = process.predict(queries, true);
  const Eigen::MatrixXd covariance = process.covariance(queries, queries);
  for (int i = 0; i < 5; ++i)
    EXPECT_NEAR(covariance(i, i) + process.settings().noise, made.variance[i],
                1e-6 * process.settings().signal);
}

}  // namespace
}  // namespace weir::surface
