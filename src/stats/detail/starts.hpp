#pragma once

#include <vector>

#include "base/random.hpp"
#include "stats/detail/em_pass.hpp"
#include "stats/detail/prepared.hpp"

namespace weir::stats::detail {

// A division of the ascending entries of a sample into k runs: k-1 indices, each the first entry of the next
// run.
using Cuts = std::vector<std::size_t>;

// Partitions that depend on the sample alone, made once for all families. For samples of up to a few thousand
// entries (PreparedSample::thinned() makes one).
class StartPlan {
 public:
  StartPlan(const PreparedSample& sample, int max_components);

  const Cuts& kmeans(int k) const {
    return kmeans_[static_cast<std::size_t>(k)];
  }  // the best one, not a local one
  // Where Lloyd's algorithm ends from the medians of equal shares, as most programs do k-means; empty where
  // that is kmeans().
  const Cuts& lloyd(int k) const { return lloyd_[static_cast<std::size_t>(k)]; }
  const Cuts& quantiles(int k) const { return quantiles_[static_cast<std::size_t>(k)]; }
  const Cuts& gaps(int k) const { return gaps_[static_cast<std::size_t>(k)]; }  // at the widest gaps

 private:
  std::vector<Cuts> kmeans_, lloyd_, quantiles_, gaps_;  // by k; entries 0 and 1 are empty
};

// Nearest of k entries drawn in proportion to their weight.
Cuts random_cuts(const PreparedSample& sample, int k, Random& random);

// Each run's own fit by moments (gamma: by maximum likelihood).
State state_from_cuts(const PreparedSample& sample, Family family, const Cuts& cuts, double cap);

// Takes each run's moments to its maximum of likelihood, which for Weibull, Fréchet and log-logistic needs a
// search. As the source starts EM.
void maximise_runs(const PreparedSample& sample, Family family, const Cuts& cuts, double cap, State& state);

// One component of the parent replaced by two: beside each other, or one narrow inside one wide.
enum class Split { beside, inside };
State split_component(Family family, const State& parent, int component, Split how, double cap);

}  // namespace weir::stats::detail
