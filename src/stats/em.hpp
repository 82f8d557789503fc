#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "stats/mixture.hpp"

namespace weir::stats {

struct EmOptions {
  std::uint64_t seed = 1;
  int starts = 8;             // tried for each k > 2 (at most 6 for k = 2); the first is k-means
  double tolerance = 1e-8;    // relative, on the log-likelihood of the standardised sample
  int max_iterations = 2000;  // of one start
  double floor = 0.01;  // least scale, as a share of the sample's range (of ten standard deviations at most)
  bool standard_errors = true;
};

// Standard errors from the observed information; NaN where it is singular and for a scale held at the floor.
struct ComponentErrors {
  double weight = 0;
  double location = 0;
  double scale = 0;
};

struct MixtureFit {
  Mixture mixture;
  std::size_t n = 0;
  std::size_t distinct = 0;          // different values among them
  double log_likelihood = 0;         // of the values as given
  double kmeans_log_likelihood = 0;  // where the k-means start alone ended
  int iterations = 0;                // of the start that won
  int total_iterations = 0;          // of all starts
  int starts = 0;
  int winner = 0;  // which start won; 0 is k-means
  bool converged = false;
  bool floor_hit = false;  // some component's scale is at the floor
  double floor =
      0;  // least scale: of x for normal, of log x for the log families, of 1/sqrt(shape) for gamma
  double seconds = 0;                   // processor time of all starts
  std::vector<ComponentErrors> errors;  // by component; empty when not asked for
  std::vector<double> path;             // log-likelihood after each iteration of the start that won
};

// The maximum-likelihood mixture of k components by EM from several starts. The result depends on the
// multiset of values and the seed alone; units only scale it. Fails on fewer values than parameters, values
// that are all equal or not finite, and on values at or below 0 for families that live above it.
Result<MixtureFit> fit_mixture(std::span<const double> values, Family family, int components,
                               const EmOptions& options = {});

// All of k = 1 .. max_components in one go: the same fits as fit_mixture one by one, for the price of the
// last, since each k is also started from the best fit of k-1. Shorter than asked where values are too few
// for more components.
Result<std::vector<MixtureFit>> fit_mixtures(std::span<const double> values, Family family,
                                             int max_components, const EmOptions& options = {});

}  // namespace weir::stats
