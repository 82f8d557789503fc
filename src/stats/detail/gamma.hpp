#pragma once

#include "base/random.hpp"
#include "stats/family.hpp"

// The gamma family. parameters.location is the shape a, parameters.scale the scale of x.
// Components a thousand times narrower than their mean have a = 10^6 and more, so nothing here may
// subtract large terms: the log density is written around the mean aσ (after Loader, 2000).
namespace weir::stats::detail::gamma {

double log_density(const Parameters& parameters, double x);
double cdf(const Parameters& parameters, double x);
double survival(const Parameters& parameters, double x);
double quantile(const Parameters& parameters, double p);
double upper_quantile(const Parameters& parameters, double q);
double sample(const Parameters& parameters, Random& random);
Gradient log_density_gradient(const Parameters& parameters, double x);
Gradient cdf_gradient(const Parameters& parameters, double x);

// a log a - a - log Γ(a), which is ½ log(a/2π) less Stirling's correction for large a.
double log_peak(double shape);

}  // namespace weir::stats::detail::gamma
