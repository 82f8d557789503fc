#include "stats/family.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <boost/math/special_functions/gamma.hpp>
#include <fmt/format.h>

#include "base/check.hpp"
#include "stats/detail/gamma.hpp"
#include "stats/detail/gev.hpp"
#include "stats/detail/special.hpp"
#include "stats/detail/standard.hpp"

namespace weir::stats {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A standard distribution moved and stretched, on x or on log x.
template <class Standard, bool kOnLog>
struct LocationScale {
  static double standardise(const Parameters& parameters, double x) {
    if constexpr (kOnLog) x = x > 0 ? std::log(x) : -kInfinity;
    return (x - parameters.location) / parameters.scale;
  }
  static double restore(const Parameters& parameters, double z) {
    const double y = parameters.location + parameters.scale * z;
    if constexpr (kOnLog) return std::exp(y);
    return y;
  }
  static double log_density(const Parameters& parameters, double x) {
    if constexpr (kOnLog)
      if (!(x > 0)) return -kInfinity;
    if (std::isinf(x)) return -kInfinity;
    const double jacobian = kOnLog ? std::log(x) : 0;
    return Standard::log_density(standardise(parameters, x)) - std::log(parameters.scale) - jacobian;
  }
  static double cdf(const Parameters& parameters, double x) {
    return Standard::cdf(standardise(parameters, x));
  }
  static double survival(const Parameters& parameters, double x) {
    return Standard::survival(standardise(parameters, x));
  }
  static double quantile(const Parameters& parameters, double p) {
    return restore(parameters, Standard::quantile(p));
  }
  static double upper_quantile(const Parameters& parameters, double q) {
    return restore(parameters, Standard::upper_quantile(q));
  }
  static Gradient log_density_gradient(const Parameters& parameters, double x) {
    const double z = standardise(parameters, x);
    const double score = Standard::score(z);
    return {.location = -score / parameters.scale, .scale = -(1 + z * score) / parameters.scale, .shape = 0};
  }
  static Gradient cdf_gradient(const Parameters& parameters, double x) {
    const double z = standardise(parameters, x);
    if (!std::isfinite(z)) return {};
    const double slope = std::exp(Standard::log_density(z)) / parameters.scale;
    return {.location = -slope, .scale = -z * slope, .shape = 0};
  }
};

struct Gamma {
  static double log_density(const Parameters& p, double x) { return detail::gamma::log_density(p, x); }
  static double cdf(const Parameters& p, double x) { return detail::gamma::cdf(p, x); }
  static double survival(const Parameters& p, double x) { return detail::gamma::survival(p, x); }
  static double quantile(const Parameters& p, double at) { return detail::gamma::quantile(p, at); }
  static double upper_quantile(const Parameters& p, double at) {
    return detail::gamma::upper_quantile(p, at);
  }
  static Gradient log_density_gradient(const Parameters& p, double x) {
    return detail::gamma::log_density_gradient(p, x);
  }
  static Gradient cdf_gradient(const Parameters& p, double x) { return detail::gamma::cdf_gradient(p, x); }
};

struct Gev {
  static double log_density(const Parameters& p, double x) { return detail::gev::log_density(p, x); }
  static double cdf(const Parameters& p, double x) { return detail::gev::cdf(p, x); }
  static double survival(const Parameters& p, double x) { return detail::gev::survival(p, x); }
  static double quantile(const Parameters& p, double at) { return detail::gev::quantile(p, at); }
  static double upper_quantile(const Parameters& p, double at) { return detail::gev::upper_quantile(p, at); }
  static Gradient log_density_gradient(const Parameters& p, double x) {
    return detail::gev::log_density_gradient(p, x);
  }
  static Gradient cdf_gradient(const Parameters& p, double x) { return detail::gev::cdf_gradient(p, x); }
};

// Calls use(F{}) with the type that implements the family.
template <class Use>
auto with_family(Family family, Use&& use) {
  switch (family) {
    case Family::normal:
      return use(LocationScale<detail::StandardNormal, false>{});
    case Family::gamma:
      return use(Gamma{});
    case Family::weibull:
      return use(LocationScale<detail::StandardSmallest, true>{});
    case Family::lognormal:
      return use(LocationScale<detail::StandardNormal, true>{});
    case Family::loglogistic:
      return use(LocationScale<detail::StandardLogistic, true>{});
    case Family::frechet:
      return use(LocationScale<detail::StandardLargest, true>{});
    case Family::gev:
      return use(Gev{});
    case Family::gumbel:
      return use(LocationScale<detail::StandardLargest, false>{});
  }
  WEIR_CHECK(false, "no such Family");
}

}  // namespace

std::string_view name(Family family) {
  constexpr std::array<std::string_view, 8> names = {"normal",      "gamma",   "weibull", "lognormal",
                                                     "loglogistic", "frechet", "gev",     "gumbel"};
  return names.at(static_cast<std::size_t>(family));
}

Result<Family> parse_family(std::string_view text) {
  std::string names;
  for (const Family family : kFamilies) {
    if (text == name(family)) return family;
    names += names.empty() ? "" : ", ";
    names += name(family);
  }
  return Error{Errc::usage, fmt::format("no distribution family '{}'", text)}.with_remedy("families: " +
                                                                                          names);
}

bool positive_only(Family family) {
  return family != Family::normal && family != Family::gev && family != Family::gumbel;
}

int parameter_count(Family family) { return family == Family::gev ? 3 : 2; }

bool valid(Family family, const Parameters& parameters) {
  if (!std::isfinite(parameters.location) || !std::isfinite(parameters.scale) ||
      !std::isfinite(parameters.shape))
    return false;
  return parameters.scale > 0 && (family != Family::gamma || parameters.location > 0);
}

double log_density(Family family, const Parameters& parameters, double x) {
  return with_family(family, [&](auto f) { return f.log_density(parameters, x); });
}

double density(Family family, const Parameters& parameters, double x) {
  return std::exp(log_density(family, parameters, x));
}

double cdf(Family family, const Parameters& parameters, double x) {
  return with_family(family, [&](auto f) { return f.cdf(parameters, x); });
}

double survival(Family family, const Parameters& parameters, double x) {
  return with_family(family, [&](auto f) { return f.survival(parameters, x); });
}

double quantile(Family family, const Parameters& parameters, double p) {
  if (!(p >= 0 && p <= 1)) return std::numeric_limits<double>::quiet_NaN();
  return with_family(family, [&](auto f) { return f.quantile(parameters, p); });
}

double upper_quantile(Family family, const Parameters& parameters, double q) {
  if (!(q >= 0 && q <= 1)) return std::numeric_limits<double>::quiet_NaN();
  return with_family(family, [&](auto f) { return f.upper_quantile(parameters, q); });
}

double sample(Family family, const Parameters& parameters, Random& random) {
  if (family == Family::gamma) return detail::gamma::sample(parameters, random);
  if (family == Family::normal) return parameters.location + parameters.scale * random.normal();
  if (family == Family::lognormal) return std::exp(parameters.location + parameters.scale * random.normal());
  return quantile(family, parameters, random.uniform());
}

Gradient log_density_gradient(Family family, const Parameters& parameters, double x) {
  return with_family(family, [&](auto f) { return f.log_density_gradient(parameters, x); });
}

Gradient cdf_gradient(Family family, const Parameters& parameters, double x) {
  return with_family(family, [&](auto f) { return f.cdf_gradient(parameters, x); });
}

double mean(Family family, const Parameters& parameters) {
  const double mu = parameters.location;
  const double sigma = parameters.scale;
  switch (family) {
    case Family::normal:
      return mu;
    case Family::gamma:
      return mu * sigma;
    case Family::weibull:
      return std::exp(mu) * std::tgamma(1 + sigma);
    case Family::lognormal:
      return std::exp(mu + 0.5 * sigma * sigma);
    case Family::loglogistic:
      return sigma < 1 ? std::exp(mu) * std::tgamma(1 + sigma) * std::tgamma(1 - sigma) : kInfinity;
    case Family::frechet:
      return sigma < 1 ? std::exp(mu) * std::tgamma(1 - sigma) : kInfinity;
    case Family::gev:
      return detail::gev::mean(parameters);
    case Family::gumbel:
      return mu + sigma * std::numbers::egamma;
  }
  WEIR_CHECK(false, "no such Family");
}

double variance(Family family, const Parameters& parameters) {
  const double mu = parameters.location;
  const double sigma = parameters.scale;
  // E[X²] - E[X]² in units of the median-like exp(μ), written with Γ(1+s) - 1 so that narrow ones keep their
  // digits.
  const auto from_moments = [mu](double one, double two) {
    return std::exp(2 * mu) * (two - one * (2 + one));
  };
  const auto gamma_less_one = [](double s) { return boost::math::tgamma1pm1(s, detail::Quiet()); };
  switch (family) {
    case Family::normal:
      return sigma * sigma;
    case Family::gamma:
      return mu * sigma * sigma;
    case Family::weibull:
      return from_moments(gamma_less_one(sigma), gamma_less_one(2 * sigma));
    case Family::lognormal:
      return std::expm1(sigma * sigma) * std::exp(2 * mu + sigma * sigma);
    case Family::loglogistic: {
      if (sigma >= 0.5) return kInfinity;
      const auto moment = [&](double s) {
        const double up = gamma_less_one(s);
        const double down = gamma_less_one(-s);
        return up + down + up * down;
      };
      return from_moments(moment(sigma), moment(2 * sigma));
    }
    case Family::frechet:
      return sigma < 0.5 ? from_moments(gamma_less_one(-sigma), gamma_less_one(-2 * sigma)) : kInfinity;
    case Family::gev:
      return detail::gev::variance(parameters);
    case Family::gumbel:
      return sigma * sigma * std::numbers::pi * std::numbers::pi / 6;
  }
  WEIR_CHECK(false, "no such Family");
}

}  // namespace weir::stats
