#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "campaign/grid.hpp"
#include "campaign/settings.hpp"
#include "campaign/store.hpp"
#include "workload/job.hpp"

namespace weir::campaign {

// How a factor of the grid takes effect.
enum class FactorKind { job, setting, command };

// A grid made ready to run: every factor understood, every job checked, before anything is measured.
struct Plan {
  Grid grid;
  std::vector<Configuration> configurations;
  std::vector<FactorKind> kinds;  // by factor

  workload::Job job(const Configuration& configuration) const;
  // "mode=read threads=4".
  std::string label(const Configuration& configuration) const;
  std::vector<std::string> factor_names() const;

  workload::Job base;                                     // what every job shares
  std::vector<std::pair<Setting, std::string>> settings;  // that every run shares
};

// Errors name the factor, the level or the configuration that cannot be run.
Result<Plan> make_plan(Grid grid, const std::filesystem::path& directory);

}  // namespace weir::campaign
