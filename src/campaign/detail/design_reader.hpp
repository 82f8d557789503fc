#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "campaign/detail/document.hpp"
#include "campaign/grid.hpp"

namespace weir::campaign::detail {

// Reads the table [design] into grid.design. A list may bring factors of its own: those that grid.factors
// lacks are added with the levels the list has. `folder` is where a list's file is looked for.
Result<void> read_design(const Node& table, const std::filesystem::path& folder, Grid& grid);

}  // namespace weir::campaign::detail
