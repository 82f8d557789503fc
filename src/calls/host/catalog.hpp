#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calls/host/problem.hpp"
#include "calls/host/row.hpp"

namespace weir::host {

// A name the preload libraries export.
struct ExportedSymbol {
  std::string name;
  std::string real_name;
  const Row* row;
  bool declared = true;  // by a header, with the row's types
};

// All tables together, checked against each other. Points into the tables it was made from.
struct Catalog {
  const std::vector<Table>* tables = nullptr;
  std::vector<ExportedSymbol> symbols;  // per row: its name, then its aliases and twins

  const Row* find(std::string_view call) const;
};

Catalog make_catalog(const std::vector<Table>& tables, Problems& problems);

}  // namespace weir::host
