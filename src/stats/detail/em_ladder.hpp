#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stats/detail/starts.hpp"
#include "stats/em.hpp"

namespace weir::stats::detail {

// A sample ready to be fitted by any family. Large samples get a small stand-in on which the starts compete;
// only the winners go on to the whole.
class Workbench {
 public:
  static constexpr std::size_t kScoutEntries = 4096;

  Workbench(PreparedSample sample, int max_components);

  const PreparedSample& sample() const { return sample_; }
  const PreparedSample& scout() const { return scout_ ? *scout_ : sample_; }
  bool large() const { return scout_.has_value(); }
  const StartPlan& plan() const { return plan_; }

 private:
  PreparedSample sample_;
  std::optional<PreparedSample> scout_;
  StartPlan plan_;
};

// What is wrong with a call, if anything.
std::optional<Error> wrong_options(int max_components, const EmOptions& options);
// Why the family cannot describe the sample, if so.
std::optional<Error> unfit(const PreparedSample& sample, Family family);
// Why the sample cannot have k components; empty if it can.
std::string too_few(const PreparedSample& sample, int components);

// Fits of k = 1 .. max_components, each started also from the one before; ends early where too_few() says so.
std::vector<MixtureFit> fit_ladder(const Workbench& bench, Family family, int max_components,
                                   const EmOptions& options);

// The better of two runs: from k-means and from a mixture thought to be near. For bootstrap refits.
Mixture refit(const Workbench& bench, const Mixture& near, const EmOptions& options);

// A State in the family's own parameters, components in ascending order of their median; order[j] tells where
// each came from.
Mixture to_mixture(const PreparedSample& sample, Family family, const State& state,
                   std::vector<std::size_t>& order);

State state_from_mixture(const PreparedSample& sample, const Mixture& mixture, double cap);

}  // namespace weir::stats::detail
