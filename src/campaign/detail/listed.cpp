#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "campaign/detail/level.hpp"
#include "campaign/detail/sampling.hpp"

namespace weir::campaign::detail {

Result<std::vector<Configuration>> listed(const Grid& grid, const Product& product) {
  const Design& design = grid.design;
  std::vector<std::size_t> columns;  // of the list, by factor; past its end for a factor with one level
  for (const Factor& factor : grid.factors) {
    const auto found = std::find(design.list_factors.begin(), design.list_factors.end(), factor.name);
    if (found == design.list_factors.end() && factor.levels.size() > 1)
      return Error{Errc::bad_data, fmt::format("the list says nothing of factor '{}'", factor.name)}
          .with_remedy("add a column for it, or give it one level");
    columns.push_back(static_cast<std::size_t>(found - design.list_factors.begin()));
  }
  for (const std::string& name : design.list_factors)
    if (std::none_of(grid.factors.begin(), grid.factors.end(),
                     [&](const Factor& factor) { return factor.name == name; }))
      return Error{Errc::bad_data, fmt::format("the list has a column '{}' that is no factor", name)};

  std::vector<Configuration> rows;
  std::set<Configuration> seen;
  for (const auto& row : design.list) {
    const std::string where = fmt::format("row {} of the list", rows.size() + 1);
    if (row.size() != design.list_factors.size())
      return Error{Errc::bad_data,
                   fmt::format("has {} levels for {} factors", row.size(), design.list_factors.size())}
          .in(where);
    Configuration configuration(grid.factors.size(), 0);
    for (std::size_t f = 0; f < grid.factors.size(); ++f) {
      if (columns[f] == design.list_factors.size()) continue;
      const auto& levels = grid.factors[f].levels;
      const Level wanted = level_of(row[columns[f]]);
      const auto level =
          std::find_if(levels.begin(), levels.end(), [&](const Level& known) { return same(known, wanted); });
      if (level == levels.end())
        return Error{Errc::bad_data,
                     fmt::format("'{}' is no level of factor '{}'", row[columns[f]], grid.factors[f].name)}
            .in(where);
      configuration[f] = static_cast<std::uint32_t>(level - levels.begin());
    }
    const auto violated = product.violated(configuration);
    if (!violated) return violated.error().in(where);
    if (*violated != nullptr)
      return Error{Errc::bad_data, fmt::format("does not meet the constraint '{}'", (*violated)->text())}.in(
          where);
    if (!seen.insert(configuration).second)
      return Error{Errc::bad_data, "stands in the list a second time"}.in(where);
    rows.push_back(std::move(configuration));
  }
  if (rows.empty()) return Error{Errc::bad_data, "the list of the design is empty"};
  return rows;
}

}  // namespace weir::campaign::detail
