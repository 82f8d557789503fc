#include "campaign/plan.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/json.hpp"
#include "base/nearest.hpp"

namespace weir::campaign {
namespace {

// Grids may say threads, as benchmarks do, for how many workers there are.
std::string_view field_of(std::string_view factor) { return factor == "threads" ? "count" : factor; }

Result<FactorKind> kind_of(const Factor& factor) {
  if (!factor.command.empty()) return FactorKind::command;
  if (setting_named(factor.name)) return FactorKind::setting;
  std::vector<std::string> known = {"threads"};
  const Json fields = workload::to_json(workload::Job{});
  for (const auto& [field, value] : fields.items()) known.push_back(field);
  if (std::ranges::find(known, factor.name) != known.end()) return FactorKind::job;
  std::ranges::copy(setting_names(), std::back_inserter(known));
  const Error error{Errc::usage,
                    fmt::format("factor '{}' is neither a field of a job nor a setting", factor.name)};
  const auto guess = nearest(factor.name, known);
  return error.with_remedy(guess
                               ? fmt::format("did you mean {}, or does it need a line in [commands]", *guess)
                               : "say in [commands] how it is set");
}

}  // namespace

workload::Job Plan::job(const Configuration& configuration) const {
  workload::Job job = base;
  const Levels levels = levels_of(grid, configuration);
  for (std::size_t i = 0; i < grid.factors.size(); ++i) {
    if (kinds[i] != FactorKind::job) continue;
    const auto set = workload::set_field(job, field_of(grid.factors[i].name), levels[i]);
    WEIR_CHECK(set.has_value(), "make_plan() took every level");
  }
  return job;
}

std::string Plan::label(const Configuration& configuration) const {
  std::string label;
  for (std::size_t i = 0; i < grid.factors.size(); ++i)
    label += fmt::format("{}{}={}", i == 0 ? "" : " ", grid.factors[i].name,
                         grid.factors[i].levels[configuration[i]].text);
  return label;
}

std::vector<std::string> Plan::factor_names() const {
  std::vector<std::string> names;
  for (const Factor& factor : grid.factors) names.push_back(factor.name);
  return names;
}

Result<Plan> make_plan(Grid grid, const std::filesystem::path& directory) {
  Plan plan;
  plan.grid = std::move(grid);
  plan.base.directory = directory;
  for (const auto& [field, value] : plan.grid.fixed) {
    if (const auto setting = setting_named(field)) {
      plan.settings.emplace_back(*setting, value);
      continue;
    }
    if (const auto set = workload::set_field(plan.base, field_of(field), value); !set)
      return set.error().in("[fixed]");
  }
  for (const Factor& factor : plan.grid.factors) {
    const auto kind = kind_of(factor);
    if (!kind) return kind.error();
    plan.kinds.push_back(*kind);
    if (*kind != FactorKind::job) continue;
    const std::size_t at = plan.kinds.size() - 1;
    Configuration one(plan.grid.factors.size());
    workload::Job trial = plan.base;
    for (one[at] = 0; one[at] < factor.levels.size(); ++one[at])
      if (const auto set = workload::set_field(trial, field_of(factor.name), levels_of(plan.grid, one)[at]);
          !set)
        return set.error().in("[factors]");
  }
  auto configurations = enumerate(plan.grid);
  if (!configurations) return configurations.error();
  plan.configurations = *std::move(configurations);
  for (const Configuration& configuration : plan.configurations)
    if (const auto good = workload::check(plan.job(configuration)); !good)
      return good.error()
          .in(plan.label(configuration))
          .with_remedy(good.error().remedy().empty() ? "leave it out with a constraint"
                                                     : good.error().remedy());
  return plan;
}

}  // namespace weir::campaign
