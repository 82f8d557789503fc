#pragma once

#include <vector>

#include "stats/detail/em_step.hpp"
#include "stats/em.hpp"

namespace weir::stats::detail {

// Standard errors of the family's own parameters from the observed information at a maximum, by component in
// the given order. A scale at the cap is taken as known and gets NaN; everything is NaN where the information
// is not positive definite.
std::vector<ComponentErrors> standard_errors(const PreparedSample& sample, Family family, const State& state,
                                             const std::vector<std::size_t>& order, const StepLimits& limits);

}  // namespace weir::stats::detail
