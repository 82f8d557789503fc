#pragma once

#include <optional>
#include <span>

#include "stats/mixture.hpp"

namespace weir::stats::detail {

// The same family with as many components fitted to other values, in few starts and without standard errors:
// the step that bootstrap methods repeat. Nothing where that fails. GEV and Gumbel models have one component.
std::optional<Mixture> refit(std::span<const double> values, const Mixture& like);

}  // namespace weir::stats::detail
