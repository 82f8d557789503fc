#pragma once

#include <vector>

#include "base/random.hpp"
#include "stats/family.hpp"

namespace weir::stats {

inline constexpr int kMostComponents = 10;

struct Component {
  double weight = 1;
  Parameters parameters;

  bool operator==(const Component&) const = default;
};

// A mixture of k distributions of one family. Weights are positive and add up to 1; components come in
// ascending order of their median, so that fits can be compared.
struct Mixture {
  Family family = Family::normal;
  std::vector<Component> components;

  // Weights k-1, and each component's own: 3k-1 for the two-parameter families.
  int parameter_count() const;

  double log_density(double x) const;
  double density(double x) const;
  double cdf(double x) const;
  double survival(double x) const;
  double quantile(double p) const;  // cdf(x) = p, by a bracketed search; the ends of the support at 0 and 1
  double upper_quantile(double q) const;  // survival(x) = q
  double mean() const;                    // +inf where a component has none
  double variance() const;
  double sample(Random& random) const;

  // Probability of each component given x.
  std::vector<double> responsibilities(double x) const;

  bool operator==(const Mixture&) const = default;
};

}  // namespace weir::stats
