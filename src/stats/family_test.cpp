#include "stats/family.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <gtest/gtest.h>

namespace weir::stats {
namespace {

struct Case {
  Family family;
  Parameters parameters;
};

std::string text(const Case& c) {
  return fmt::format("{} location {} scale {} shape {}", name(c.family), c.parameters.location,
                     c.parameters.scale, c.parameters.shape);
}

std::vector<Case> many_cases() {
  std::vector<Case> cases;
  for (const Family family : kFamilies) {
    if (family == Family::gamma) {
      for (const double shape : {0.3, 1.0, 3.5, 40.0, 1e4, 1e6})
        for (const double scale : {1e-4, 1.0, 2.5e4}) cases.push_back({family, {shape, scale, 0}});
    } else {
      for (const double location : {-3.0, 0.0, 11.5})
        for (const double scale : {1e-3, 0.3, 2.0})
          for (const double shape : {-0.4, -1e-9, 0.0, 1e-12, 1e-5, 0.3})
            if (family == Family::gev || shape == 0) cases.push_back({family, {location, scale, shape}});
    }
  }
  return cases;
}

TEST(Family, NamesParseBackAndTheErrorListsThem) {
  for (const Family family : kFamilies) EXPECT_EQ(*parse_family(name(family)), family);
  const auto wrong = parse_family("cauchy");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(
      wrong.error().text(),
      "no distribution family 'cauchy'; families: normal, gamma, weibull, lognormal, loglogistic, frechet, "
      "gev, gumbel");
}

// Values of R 4.2.2 (stats) and evd 2.3-6.1, printed with 17 digits: log density and CDF at x, quantile at p,
// and survival at `far`. Weibull, log-logistic and Fréchet there have shape 1/σ and scale exp(μ).
TEST(Family, MatchesR) {
  struct Row {
    Case c;
    double x, log_density, cdf, p, quantile, far, survival;
  };
  const std::vector<Row> rows = {
      {{Family::normal, {0.4, 2.5, 0}},
       1.3,
       -1.9000292650788277,
       0.64057643321799118,
       1e-12,
       -17.186209563252831,
       30,
       1.2122648223527222e-32},
      {{Family::gamma, {3.5, 1.25, 0}},
       7,
       -2.7172006593085247,
       0.86987008271596444,
       1e-6,
       0.049077250618981202,
       60,
       7.2130701987412113e-18},
      {{Family::gamma, {1e6, 1e-4, 0}},
       100.2,
       -0.6156888531506155,
       0.97719590410123014,
       0.001,
       99.691261731981527,
       100.2,
       1 - 0.97719590410123014},
      {{Family::weibull, {1.2, 0.3, 0}},
       2.5,
       -1.0464240259268489,
       0.32186475732316489,
       1e-6,
       0.052620314983250892,
       8,
       7.1567188508371421e-09},
      {{Family::lognormal, {1.2, 0.3, 0}},
       2.5,
       -1.0784283986445726,
       0.17215143358255974,
       1e-6,
       0.79769633012432684,
       20,
       1.0768145532275243e-09},
      {{Family::loglogistic, {1.2, 0.3, 0}},
       2.5,
       -1.3143317969312904,
       0.27975089992609636,
       1e-6,
       0.052620322876303367,
       200,
       1.1670176791896755e-06},
      {{Family::frechet, {1.2, 0.3, 0}},
       2.5,
       -1.3412290645955778,
       0.076183627813389679,
       1e-6,
       1.5102307076165591,
       200,
       1.1670183601708572e-06},
      {{Family::gumbel, {1.2, 0.3, 0}},
       2.5,
       -3.1424842577443388,
       0.98696201190223243,
       1e-6,
       0.41226242565719673,
       3,
       0.0024756826072475091},
      {{Family::gev, {1.2, 0.3, 0.2}},
       2.5,
       -2.5850761624127054,
       0.95683615192150406,
       1e-6,
       0.58719251930215133,
       3,
       0.019216749513515929},
      {{Family::gev, {1.2, 0.3, -0.2}},
       2.0,
       -1.866720078758771,
       0.97811045573808553,
       1e-6,
       0.16391008597569456,
       2.2,
       0.0041067703968907798},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(text(row.c));
    const auto& [family, parameters] = row.c;
    EXPECT_NEAR(log_density(family, parameters, row.x), row.log_density, 1e-10);
    EXPECT_NEAR(cdf(family, parameters, row.x), row.cdf, 1e-10);
    EXPECT_NEAR(quantile(family, parameters, row.p) / row.quantile, 1, 1e-10);
    EXPECT_NEAR(survival(family, parameters, row.far) / row.survival, 1, 1e-8);
  }
}

TEST(Family, QuantileInvertsCdfInBothTails) {
  for (const Case& c : many_cases()) {
    SCOPED_TRACE(text(c));
    const auto& [family, parameters] = c;
    for (const double p : {1e-12, 1e-6, 0.001, 0.1, 0.37, 0.5}) {
      // Where x differs from the location in few digits, a rounding of x moves the probability by f(x)·x·ε.
      const auto slack = [&](double x) {
        return p * 1e-9 + 8e-16 * std::abs(x) * density(family, parameters, x);
      };
      const double low = quantile(family, parameters, p);
      EXPECT_NEAR(cdf(family, parameters, low), p, slack(low));
      const double high = upper_quantile(family, parameters, p);
      EXPECT_NEAR(survival(family, parameters, high), p, slack(high));
      EXPECT_LE(low, high);
      EXPECT_NEAR(quantile(family, parameters, 1 - p), high,
                  1e-4 * std::abs(high - low) + 1e-12 * std::abs(high))
          << p;
      EXPECT_NEAR(cdf(family, parameters, low) + survival(family, parameters, low), 1, 1e-12);
    }
  }
}

TEST(Family, QuantileAtTheEndsIsTheEndOfTheSupport) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const Family family : kFamilies) {
    const Parameters parameters{2, 0.5, 0};
    const double lowest = positive_only(family) ? 0 : -infinity;
    EXPECT_EQ(quantile(family, parameters, 0), lowest) << name(family);
    EXPECT_EQ(quantile(family, parameters, 1), infinity) << name(family);
    EXPECT_EQ(upper_quantile(family, parameters, 0), infinity) << name(family);
    EXPECT_TRUE(std::isnan(quantile(family, parameters, 1.5))) << name(family);
    EXPECT_EQ(cdf(family, parameters, -infinity), 0) << name(family);
    EXPECT_EQ(cdf(family, parameters, infinity), 1) << name(family);
    EXPECT_EQ(log_density(family, parameters, infinity), -infinity) << name(family);
    EXPECT_EQ(log_density(family, parameters, -infinity), -infinity) << name(family);
  }
  EXPECT_DOUBLE_EQ(quantile(Family::gev, {1, 2, 0.5}, 0), -3);
  EXPECT_DOUBLE_EQ(quantile(Family::gev, {1, 2, -0.5}, 1), 5);
  EXPECT_EQ(cdf(Family::gev, {1, 2, -0.5}, 6), 1);
  EXPECT_EQ(survival(Family::gev, {1, 2, 0.5}, -4), 1);
}

TEST(Family, PositiveFamiliesGiveNothingBelowZero) {
  for (const Family family : kMixtureFamilies) {
    if (!positive_only(family)) continue;
    for (const double x : {0.0, -1.0}) {
      EXPECT_EQ(density(family, {1, 1, 0}, x), 0) << name(family);
      EXPECT_EQ(cdf(family, {1, 1, 0}, x), 0) << name(family);
      EXPECT_EQ(survival(family, {1, 1, 0}, x), 1) << name(family);
    }
  }
}

TEST(Family, DensityIntegratesToTheCdf) {
  using boost::math::quadrature::gauss_kronrod;
  for (const Case& c : many_cases()) {
    SCOPED_TRACE(text(c));
    const auto& [family, parameters] = c;
    double from = quantile(family, parameters, 0.02);
    for (const double p : {0.2, 0.5, 0.8, 0.98}) {
      const double to = quantile(family, parameters, p);
      const double mass = gauss_kronrod<double, 31>::integrate(
          [&](double x) { return density(family, parameters, x); }, from, to, 8, 1e-11);
      EXPECT_NEAR(mass, cdf(family, parameters, to) - cdf(family, parameters, from), 1e-8);
      from = to;
    }
  }
}

TEST(Family, GradientsMatchFiniteDifferences) {
  for (const Case& c : many_cases()) {
    SCOPED_TRACE(text(c));
    const auto& [family, parameters] = c;
    for (const double p : {0.01, 0.3, 0.5, 0.9, 0.99}) {
      const double x = quantile(family, parameters, p);
      const Gradient log_slope = log_density_gradient(family, parameters, x);
      const Gradient cdf_slope = cdf_gradient(family, parameters, x);
      const auto check = [&](double Parameters::*member, double step, double by_log, double by_cdf) {
        const auto at = [&](double by) {
          Parameters moved = parameters;
          moved.*member += by;
          return moved;
        };
        const auto slope = [&](auto value) {
          return (8 * (value(at(step)) - value(at(-step))) - (value(at(2 * step)) - value(at(-2 * step)))) /
                 (12 * step);
        };
        // Compared times the step's natural scale: how far the value moves over one spread of the parameter.
        const double unit = step / 1e-3;
        EXPECT_NEAR(slope([&](const Parameters& m) { return log_density(family, m, x); }) * unit,
                    by_log * unit, 2e-6 * (1 + std::abs(by_log * unit)));
        EXPECT_NEAR(slope([&](const Parameters& m) { return cdf(family, m, x); }) * unit, by_cdf * unit,
                    1e-7);
      };
      const bool is_gamma = family == Family::gamma;
      const double shape_width = std::min(parameters.location, std::sqrt(std::abs(parameters.location)));
      const double scale_width =
          is_gamma ? parameters.scale / std::max(1.0, std::sqrt(parameters.location)) : parameters.scale;
      check(&Parameters::location, 1e-3 * (is_gamma ? shape_width : parameters.scale), log_slope.location,
            cdf_slope.location);
      check(&Parameters::scale, 1e-3 * scale_width, log_slope.scale, cdf_slope.scale);
      if (family == Family::gev) check(&Parameters::shape, 1e-3, log_slope.shape, cdf_slope.shape);
    }
  }
}

TEST(Family, GevPassesSmoothlyThroughTheGumbel) {
  const Parameters gumbel{3, 2, 0};
  for (const double x : {-2.0, 1.0, 3.0, 7.0, 20.0}) {
    const double u = (x - 3) / 2;
    for (const double xi : {1e-15, -1e-15, 1e-10, -1e-8, 1e-7}) {
      const Parameters near{3, 2, xi};
      // First order in ξ: log f changes by ξ(u²(1 - e^-u)/2 - u).
      const double first = xi * (0.5 * u * u * (1 - std::exp(-u)) - u);
      EXPECT_NEAR(log_density(Family::gev, near, x), log_density(Family::gumbel, gumbel, x) + first, 1e-11)
          << xi;
      EXPECT_NEAR(cdf(Family::gev, near, x), cdf(Family::gumbel, gumbel, x), 1e-5);
    }
    EXPECT_DOUBLE_EQ(log_density(Family::gev, gumbel, x), log_density(Family::gumbel, gumbel, x));
    EXPECT_NEAR(log_density_gradient(Family::gev, {3, 2, 1e-9}, x).shape,
                0.5 * u * u * (1 - std::exp(-u)) - u, 1e-6 * (1 + std::abs(u)));
  }
}

TEST(Family, SamplesHaveTheMeanAndVarianceAndMatchTheCdf) {
  constexpr std::uint64_t seed = 20;
  constexpr int n = 40000;
  for (const Case& c :
       {Case{Family::normal, {3, 2, 0}}, Case{Family::gamma, {0.4, 2, 0}}, Case{Family::gamma, {30, 2, 0}},
        Case{Family::weibull, {1, 0.3, 0}}, Case{Family::lognormal, {1, 0.3, 0}},
        Case{Family::loglogistic, {1, 0.1, 0}}, Case{Family::frechet, {1, 0.1, 0}},
        Case{Family::gev, {1, 2, -0.2}}, Case{Family::gev, {1, 2, 0.1}}, Case{Family::gumbel, {1, 2, 0}}}) {
    SCOPED_TRACE(text(c) + fmt::format(", seed {}", seed));
    const auto& [family, parameters] = c;
    Random random(seed);
    double sum = 0, below_median = 0;
    const double median = quantile(family, parameters, 0.5);
    std::vector<double> values;
    for (int i = 0; i < n; ++i) {
      values.push_back(sample(family, parameters, random));
      sum += values.back();
      below_median += values.back() <= median;
    }
    double squares = 0;
    for (const double value : values) squares += (value - sum / n) * (value - sum / n);
    const double sd = std::sqrt(variance(family, parameters));
    EXPECT_NEAR(sum / n, mean(family, parameters), 4 * sd / std::sqrt(n));
    EXPECT_NEAR(squares / n / (sd * sd), 1, 0.1);
    EXPECT_NEAR(below_median / n, 0.5, 4 * 0.5 / std::sqrt(n));
  }
}

TEST(Family, MomentsAgreeWithQuadrature) {
  for (const Case& c : many_cases()) {
    const auto& [family, parameters] = c;
    if (parameters.scale == 2.0 || family == Family::gamma) continue;  // heavy tails: the sum below cuts them
    SCOPED_TRACE(text(c));
    // Mean over equal slices of probability; the slices' centres leave out little for light tails.
    constexpr int slices = 20000;
    double sum = 0;
    for (int i = 0; i < slices; ++i) sum += quantile(family, parameters, (i + 0.5) / slices);
    const double spread = quantile(family, parameters, 0.9) - quantile(family, parameters, 0.1);
    EXPECT_NEAR(sum / slices, mean(family, parameters), 0.005 * spread);
  }
  EXPECT_EQ(mean(Family::frechet, {0, 1.5, 0}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(variance(Family::gev, {0, 1, 0.6}), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace weir::stats
