#include "stats/detail/refit.hpp"

#include "stats/em.hpp"
#include "stats/gev.hpp"

namespace weir::stats::detail {

std::optional<Mixture> refit(std::span<const double> values, const Mixture& like) {
  if (like.family == Family::gev || like.family == Family::gumbel) {
    const auto fit = like.family == Family::gev ? fit_gev(values) : fit_gumbel(values);
    if (!fit) return std::nullopt;
    return Mixture{like.family, {{1.0, fit->parameters}}};
  }
  EmOptions options;
  options.starts = 2;
  options.standard_errors = false;
  const auto fit = fit_mixture(values, like.family, static_cast<int>(like.components.size()), options);
  if (!fit) return std::nullopt;
  return fit->mixture;
}

}  // namespace weir::stats::detail
