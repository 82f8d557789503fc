#include "stats/em.hpp"

#include <fmt/format.h>

#include "stats/detail/em_ladder.hpp"

namespace weir::stats {

Result<std::vector<MixtureFit>> fit_mixtures(std::span<const double> values, Family family,
                                             int max_components, const EmOptions& options) {
  if (auto fault = detail::wrong_options(max_components, options)) return *fault;
  auto sample = detail::PreparedSample::make(values);
  if (!sample) return sample.error();
  if (auto fault = detail::unfit(*sample, family)) return *fault;
  const detail::Workbench bench(*std::move(sample), max_components);
  return detail::fit_ladder(bench, family, max_components, options);
}

Result<MixtureFit> fit_mixture(std::span<const double> values, Family family, int components,
                               const EmOptions& options) {
  if (auto fault = detail::wrong_options(components, options)) return *fault;
  auto sample = detail::PreparedSample::make(values);
  if (!sample) return sample.error();
  if (auto fault = detail::unfit(*sample, family)) return *fault;
  if (const std::string reason = detail::too_few(*sample, components); !reason.empty())
    return Error{Errc::bad_data, reason};
  const detail::Workbench bench(*std::move(sample), components);
  return std::move(detail::fit_ladder(bench, family, components, options).back());
}

}  // namespace weir::stats
