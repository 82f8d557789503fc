#pragma once

namespace weir::stats::detail {

// The standard distributions (location 0, scale 1) behind every location-scale family, on x or on log x.
// score is the derivative of the log density. Each member is accurate in both tails.

struct StandardNormal {
  static double log_density(double z);
  static double score(double z);
  static double cdf(double z);
  static double survival(double z);
  static double quantile(double p);
  static double upper_quantile(double q);
};

// Smallest extreme value: density exp(z - e^z); log of a Weibull variable.
struct StandardSmallest {
  static double log_density(double z);
  static double score(double z);
  static double cdf(double z);
  static double survival(double z);
  static double quantile(double p);
  static double upper_quantile(double q);
};

struct StandardLogistic {
  static double log_density(double z);
  static double score(double z);
  static double cdf(double z);
  static double survival(double z);
  static double quantile(double p);
  static double upper_quantile(double q);
};

// Largest extreme value (Gumbel): density exp(-z - e^-z); log of a Fréchet variable.
struct StandardLargest {
  static double log_density(double z);
  static double score(double z);
  static double cdf(double z);
  static double survival(double z);
  static double quantile(double p);
  static double upper_quantile(double q);
};

}  // namespace weir::stats::detail
