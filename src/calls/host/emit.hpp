#pragma once

#include <string>
#include <string_view>

#include "calls/host/catalog.hpp"
#include "calls/host/problem.hpp"

namespace weir::host {

// The texts made from a catalogue without problems. Each is a whole file.

std::string emit_ids(const Catalog& catalog);    // calls/generated/ids.hpp: enum class Call, Layer, Symbol
std::string emit_table(const Catalog& catalog);  // calls/generated/table.hpp: names, types, roles
std::string emit_guide(const Catalog& catalog);  // a page of the guide: what is traced
std::string emit_exports(const Catalog& catalog, const Table& table);  // the names a layer exports, sorted

// The shims of one layer: no logic, one line each into intercept<>(). What can not be made yet is a problem.
std::string emit_shims(const Catalog& catalog, const Table& table, Problems& problems);

}  // namespace weir::host
