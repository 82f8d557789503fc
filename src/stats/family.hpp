#pragma once

#include <array>
#include <string_view>

#include "base/random.hpp"
#include "base/result.hpp"

namespace weir::stats {

// The distribution families. The first six are the components of mixtures and follow Table 2 of Xu et al.
// (2020), "Modeling I/O performance variability ... using mixture distributions"; the last two are for maxima
// of blocks.
enum class Family { normal, gamma, weibull, lognormal, loglogistic, frechet, gev, gumbel };

inline constexpr std::array kMixtureFamilies = {Family::normal,    Family::gamma,       Family::weibull,
                                                Family::lognormal, Family::loglogistic, Family::frechet};
inline constexpr std::array kFamilies = {Family::normal,    Family::gamma,       Family::weibull,
                                         Family::lognormal, Family::loglogistic, Family::frechet,
                                         Family::gev,       Family::gumbel};

// location and scale are μ and σ of the source's Table 2: of x itself for normal, GEV and Gumbel, of log x
// for Weibull, lognormal, log-logistic and Fréchet (the usual Weibull shape is 1/scale, its scale
// exp(location)). For gamma, location holds the shape parameter and scale the scale of x. shape is ξ, for the
// GEV only.
struct Parameters {
  double location = 0;
  double scale = 1;
  double shape = 0;

  bool operator==(const Parameters&) const = default;
};

std::string_view name(Family family);
// From the names above; the error lists them.
Result<Family> parse_family(std::string_view text);

bool positive_only(Family family);                        // density only on x > 0
int parameter_count(Family family);                       // 2, and 3 for the GEV
bool valid(Family family, const Parameters& parameters);  // finite, scale > 0, gamma shape > 0

// Outside the support the density is 0 (its logarithm -inf) and the CDF 0 or 1. Parameters must be valid().
double log_density(Family family, const Parameters& parameters, double x);
double density(Family family, const Parameters& parameters, double x);
double cdf(Family family, const Parameters& parameters, double x);
double survival(Family family, const Parameters& parameters, double x);  // 1 - cdf, exact in the upper tail
// x with cdf(x) = p, and x with survival(x) = q; the ends of the support at 0 and 1, NaN outside [0, 1].
double quantile(Family family, const Parameters& parameters, double p);
double upper_quantile(Family family, const Parameters& parameters, double q);

double sample(Family family, const Parameters& parameters, Random& random);

double mean(Family family, const Parameters& parameters);      // +inf where it does not exist
double variance(Family family, const Parameters& parameters);  // +inf where it does not exist

// Derivatives with respect to location, scale and shape (0 for families without a shape).
struct Gradient {
  double location = 0;
  double scale = 0;
  double shape = 0;
};
Gradient log_density_gradient(Family family, const Parameters& parameters,
                              double x);  // the score; x in the support
Gradient cdf_gradient(Family family, const Parameters& parameters, double x);

}  // namespace weir::stats
