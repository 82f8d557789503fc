#include "calls/host/catalog.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

#include <fmt/format.h>

namespace weir::host {
namespace {

void problem(Problems& problems, const Row& row, std::string text) {
  problems.push_back({row.file, row.line, std::move(text)});
}

void check_meaning(const Catalog& catalog, const Row& row, Problems& problems) {
  if (row.means.empty()) return;
  const Row* const meant = catalog.find(row.means);
  if (meant == nullptr || meant == &row) {
    std::vector<std::string_view> names;
    for (const ExportedSymbol& symbol : catalog.symbols)
      if (symbol.name == symbol.row->name && symbol.row != &row) names.push_back(symbol.name);
    problem(problems, row,
            fmt::format("@means({0}): no row '{0}'{1}", row.means, suggestion(row.means, names)));
    return;
  }
  // Arguments of one name must be the same and in the same order; the shape may have some more or fewer.
  std::size_t shared = 0;
  std::size_t next = 0;
  for (const RowArgument& mine : row.arguments) {
    const auto same_name = [&](const RowArgument& a) { return a.name == mine.name; };
    const auto theirs = std::find_if(meant->arguments.begin(), meant->arguments.end(), same_name);
    if (theirs == meant->arguments.end()) continue;
    const auto at = static_cast<std::size_t>(theirs - meant->arguments.begin());
    if (at < next) {
      problem(problems, row,
              fmt::format("@means({}): argument '{}' stands in another order there", row.means, mine.name));
      return;
    }
    next = at + 1;
    ++shared;
    if (mine.type == theirs->type && mine.role == theirs->role && mine.direction == theirs->direction)
      continue;
    problem(problems, row,
            fmt::format("@means({}): argument '{}' is '{}: {}' here and '{}: {}' there", row.means, mine.name,
                        mine.type, weir::name(mine.role), theirs->type, weir::name(theirs->role)));
    return;
  }
  if (shared == 0 && !meant->arguments.empty())
    problem(problems, row, fmt::format("@means({}): no argument has the name of one there", row.means));
}

}  // namespace

const Row* Catalog::find(std::string_view call) const {
  for (const Table& table : *tables)
    for (const Row& row : table.rows)
      if (row.name == call) return &row;
  return nullptr;
}

Catalog make_catalog(const std::vector<Table>& tables, Problems& problems) {
  Catalog catalog{&tables, {}};
  std::map<std::string, const Row*> owners;
  const auto add = [&](const std::string& name, const Row& row, bool declared) {
    const auto [at, is_new] = owners.emplace(name, &row);
    if (!is_new) {
      const Row& first = *at->second;
      problem(problems, row, fmt::format("'{}' is already in {}:{}", name, first.file, first.line));
      return;
    }
    catalog.symbols.push_back({name, row.real.empty() ? name : row.real, &row, declared});
  };
  std::map<std::string, const Table*> layers;
  for (const Table& table : tables) {
    if (table.adds_to_another()) {
      if (!layers.contains(table.layer))
        problems.push_back(
            {table.file, 1, fmt::format("@layer {}: no table before it has that name", table.layer)});
    } else if (const auto [at, is_new] = layers.emplace(table.layer, &table); !is_new) {
      problems.push_back(
          {table.file, 1, fmt::format("layer '{}' is already {}", table.layer, at->second->file)});
    }
    for (const Row& row : table.rows) {
      add(row.name, row, !row.undeclared);
      for (const std::string& alias : row.aliases) add(alias, row, !row.undeclared);
      for (const std::string& twin : row.twins) add(twin, row, false);
      if (table.profiled && !row.unprofiled) add("P" + row.name, row, !row.undeclared);
    }
  }
  for (const Table& table : tables)
    for (const Row& row : table.rows) check_meaning(catalog, row, problems);
  return catalog;
}

}  // namespace weir::host
