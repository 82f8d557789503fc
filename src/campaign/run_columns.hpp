#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "campaign/store.hpp"

namespace weir::campaign {

// A measured number of a run: how exports call it, a short name for command lines, and where it is.
struct RunColumn {
  std::string_view name;
  std::string_view short_name;
  std::optional<double> (*value)(const RunRow& run);
};

// In the order of an export's columns.
extern const std::array<RunColumn, 12> kRunColumns;

// By either name; an Error lists those there are.
Result<const RunColumn*> find_run_column(std::string_view name);

}  // namespace weir::campaign
