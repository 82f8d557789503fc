#pragma once

#include "stats/family.hpp"

// The generalised extreme value distribution, exp(-t) with t = (1 + ξz)^(-1/ξ) and z = (x-μ)/σ; ξ > 0 is the
// heavy upper tail. Everything is written in u = -log t = z · log1p(ξz)/(ξz), which passes smoothly through ξ
// = 0.
namespace weir::stats::detail::gev {

double log_density(const Parameters& parameters, double x);
double cdf(const Parameters& parameters, double x);
double survival(const Parameters& parameters, double x);
double quantile(const Parameters& parameters, double p);
double upper_quantile(const Parameters& parameters, double q);
Gradient log_density_gradient(const Parameters& parameters, double x);
Gradient cdf_gradient(const Parameters& parameters, double x);
double mean(const Parameters& parameters);
double variance(const Parameters& parameters);

// log(1+w)/w and its derivative, and (e^w - 1)/w; smooth through w = 0. w > -1 for the first two.
double log1p_ratio(double w);
double log1p_ratio_slope(double w);
double expm1_ratio(double w);

}  // namespace weir::stats::detail::gev
