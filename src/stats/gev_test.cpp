#include "stats/gev.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "base/parallel.hpp"
#include "stats/detail/gev_likelihood.hpp"
#include "stats/gev_profile.hpp"

namespace weir::stats {
namespace {

constexpr Parameters kPublished{
    .location = 11.1679, .scale = 0.2120, .shape = -0.00105};  // Henwood et al., Fig. 2

// 400 values anyone can make again: quantiles at the golden-ratio sequence plus a small wave.
std::vector<double> reproducible(double shape) {
  std::vector<double> values;
  for (int i = 1; i <= 400; ++i) {
    const double turns = i * 0.6180339887498949;
    const Parameters p{.location = 11.1679, .scale = 0.2120, .shape = shape};
    values.push_back(quantile(Family::gev, p, turns - std::floor(turns)) + 0.05 * std::sin(i));
  }
  return values;
}

// Reference: R 4.2.2 with evd 2.3.6.1. Maximum of sum(dgev(x, ..., log = TRUE)) by optim (Nelder-Mead,
// reltol 1e-16, restarted), standard errors from optimHess, profiles by uniroot over optim.
struct Reference {
  double shape;
  Parameters estimate;
  std::array<double, 3> errors;
  double log_likelihood;
  double gumbel_log_likelihood;
  double shape_low, shape_high;
  double level99, level_low, level_high;
};
constexpr std::array kReferences{Reference{-0.00105,
                                           {11.16753144, 0.2119547348, 0.00552079283},
                                           {0.01193981, 0.008702590, 0.03690817},
                                           -12.066405686584,
                                           -12.077706926353,
                                           -0.0619150561,
                                           0.0825229960,
                                           12.15504141,
                                           12.0244763,
                                           12.3529105},
                                 Reference{0.3,
                                           {11.16707028, 0.2136261818, 0.3056048400},
                                           {0.012214966, 0.010326914, 0.044915201},
                                           -83.774197922931,
                                           -124.51042508932,
                                           0.222161400,
                                           0.398261986,
                                           13.31930749,
                                           12.8593965,
                                           14.0470183},
                                 Reference{-0.3,
                                           {11.16881538, 0.2121005438, -0.2999414075},
                                           {0.011634133, 0.0082598524, 0.030659334},
                                           57.37285948814,
                                           27.818818366929,
                                           -0.354645817,
                                           -0.235238098,
                                           11.69801407,
                                           11.6651337,
                                           11.7502458}};

TEST(GevFit, AgreesWithEvd) {
  for (const Reference& expected : kReferences) {
    const std::vector<double> values = reproducible(expected.shape);
    const auto fit = fit_gev(values);
    ASSERT_TRUE(fit);
    EXPECT_TRUE(fit->converged);
    EXPECT_LT(fit->iterations, 20);
    EXPECT_NEAR(fit->parameters.location, expected.estimate.location, 1e-7);
    EXPECT_NEAR(fit->parameters.scale, expected.estimate.scale, 1e-7);
    EXPECT_NEAR(fit->parameters.shape, expected.estimate.shape, 1e-6);
    EXPECT_NEAR(fit->log_likelihood, expected.log_likelihood, 1e-9);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(fit->standard_errors[i] / expected.errors[i], 1, 1e-4) << i;
    const auto gumbel = fit_gumbel(values);
    ASSERT_TRUE(gumbel);
    EXPECT_NEAR(gumbel->log_likelihood, expected.gumbel_log_likelihood, 1e-7);
    EXPECT_EQ(gumbel->parameters.shape, 0);
  }
}

TEST(GevFit, ProfilesAgreeWithEvd) {
  for (const Reference& expected : kReferences) {
    const std::vector<double> values = reproducible(expected.shape);
    const GevFit fit = *fit_gev(values);
    const auto shape = profile_shape(values, fit);
    ASSERT_TRUE(shape);
    EXPECT_NEAR(shape->low, expected.shape_low, 1e-6);
    EXPECT_NEAR(shape->high, expected.shape_high, 1e-6);
    const auto level = profile_return_level(values, fit, 0.01);
    ASSERT_TRUE(level);
    EXPECT_NEAR(level->estimate, expected.level99, 2e-6);
    EXPECT_NEAR(level->low, expected.level_low, 2e-6);
    EXPECT_NEAR(level->high, expected.level_high, 2e-6);
  }
}

TEST(GevFit, DerivativesAgreeWithDifferences) {
  for (const double shape : {-0.2, -1e-5, 0.0, 1e-4, 0.013, 0.25}) {
    const std::vector<double> values = reproducible(shape - 0.1);
    const Eigen::Vector3d at(11.15, std::log(0.22), shape);
    const auto check = [&](const auto& function, const Eigen::Vector3d& point) {
      const detail::Quadratic here = function(point);
      for (int i = 0; i < 3; ++i) {
        const double h = 1e-5;
        Eigen::Vector3d up = point, down = point;
        up[i] += h;
        down[i] -= h;
        const detail::Quadratic above = function(up), below = function(down);
        EXPECT_NEAR((above.value - below.value) / (2 * h), here.gradient[i],
                    1e-4 * (1 + std::abs(here.gradient[i])));
        const Eigen::Vector3d row = (above.gradient - below.gradient) / (2 * h);
        for (int j = 0; j < 3; ++j)
          EXPECT_NEAR(row[j], here.hessian(i, j), 1e-5 * (10 + here.hessian.cwiseAbs().maxCoeff())) << i << j;
      }
    };
    check([&](const Eigen::Vector3d& p) { return detail::gev_likelihood(values, p); }, at);
    const double reduced = -std::log(-std::log(0.99));
    const Eigen::Vector3d level(detail::gev_level(reduced, detail::gev_parameters(at)), at[1], at[2]);
    check([&](const Eigen::Vector3d& p) { return detail::gev_likelihood_at_level(values, reduced, p); },
          level);
  }
}

TEST(GevFit, ScalingAndOrderOfTheDataDoNotMatter) {
  std::vector<double> values = reproducible(0.1);
  const GevFit fit = *fit_gev(values);
  std::reverse(values.begin(), values.end());
  for (double& x : values) x = 1e6 * x - 3e5;
  const GevFit scaled = *fit_gev(values);
  EXPECT_NEAR(scaled.parameters.location, 1e6 * fit.parameters.location - 3e5, 1e-2);
  EXPECT_NEAR(scaled.parameters.scale, 1e6 * fit.parameters.scale, 1e-2);
  EXPECT_NEAR(scaled.parameters.shape, fit.parameters.shape, 1e-8);
  EXPECT_NEAR(scaled.standard_errors[2], fit.standard_errors[2], 1e-8);
}

TEST(GevFit, GumbelIsKeptOrRejected) {
  const std::vector<double> plain = reproducible(-0.00105);
  EXPECT_GT(test_gumbel(*fit_gev(plain), *fit_gumbel(plain)).p_value, 0.5);
  const std::vector<double> heavy = reproducible(0.3);
  EXPECT_LT(test_gumbel(*fit_gev(heavy), *fit_gumbel(heavy)).p_value, 1e-10);
}

TEST(GevFit, BadInputIsAnError) {
  EXPECT_FALSE(fit_gev(std::vector<double>{1, 2, 3, 4}));
  EXPECT_FALSE(fit_gev(std::vector<double>(20, 7.0)));
  EXPECT_FALSE(fit_gev(std::vector<double>{1, 2, 3, 4, 5, NAN}));
}

TEST(GevFit, ValuesThatPileUpAtAnEndAreNotForcedIntoAFit) {
  std::vector<double> values;
  values.reserve(50);
  for (int i = 0; i < 50; ++i) values.push_back(10 - std::pow(i / 50.0, 3));  // shape -3
  const auto fit = fit_gev(values);
  ASSERT_TRUE(fit);
  EXPECT_FALSE(fit->regular);
  EXPECT_FALSE(fit->note.empty());
  EXPECT_FALSE(profile_shape(values, *fit) && fit->converged == false);
}

TEST(GevFit, OutliersAndTiesAreSurvived) {
  std::vector<double> values(300, 5.0);
  for (std::size_t i = 0; i < 100; ++i) values[i] = 5 + 0.01 * static_cast<double>(i % 7);
  EXPECT_TRUE(fit_gev(values));
  std::vector<double> spiked = reproducible(0.0);
  spiked.push_back(1e4);
  const auto fit = fit_gev(spiked);
  ASSERT_TRUE(fit);
  EXPECT_TRUE(fit->converged);
}

// 400 values from the published fit: the errors are near 0.0118, 0.0086 and 0.0345, the estimates are almost
// without bias, and 95 % intervals hold what they promise. 5000 repeats with WEIR_LONG_TESTS, else 1500.
TEST(GevFit, StudyOfBiasAndCoverage) {
  const std::size_t repeats = std::getenv("WEIR_LONG_TESTS") != nullptr ? 5000 : 1500;
  std::vector<GevFit> fits(repeats);
  parallel_for(repeats, [&](std::size_t i) {
    Random random(20, i);
    std::vector<double> values(400);
    for (double& x : values) x = sample(Family::gev, kPublished, random);
    fits[i] = *fit_gev(values);
  });
  const std::array<double, 3> truth{kPublished.location, kPublished.scale, kPublished.shape};
  const std::array<double, 3> expected_error{0.0118, 0.0086, 0.0345};
  for (std::size_t p = 0; p < 3; ++p) {
    double bias = 0, error = 0;
    int covered = 0;
    for (const GevFit& fit : fits) {
      ASSERT_TRUE(fit.converged);
      const double estimate =
          std::array{fit.parameters.location, fit.parameters.scale, fit.parameters.shape}[p];
      bias += estimate - truth[p];
      error += fit.standard_errors[p];
      covered += std::abs(estimate - truth[p]) < 1.959964 * fit.standard_errors[p] ? 1 : 0;
    }
    const auto count = static_cast<double>(repeats);
    RecordProperty("coverage_" + std::to_string(p), std::to_string(covered / count));
    printf("parameter %zu: bias %.3f standard errors, mean error %.5f, coverage %.2f %%\n", p, bias / error,
           error / count, 100 * covered / count);
    EXPECT_LT(std::abs(bias / error), 0.15);
    EXPECT_NEAR(error / count, expected_error[p], 0.03 * expected_error[p]);
    EXPECT_GT(covered / count, 0.93);
    EXPECT_LT(covered / count, 0.965);
  }
}

}  // namespace
}  // namespace weir::stats
