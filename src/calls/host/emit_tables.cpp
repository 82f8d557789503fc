#include <array>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

#include "calls/host/emit.hpp"

namespace weir::host {
namespace {

// NOLINT for the whole file: names such as __read_chk are the C library's, not ours.
constexpr std::string_view kHead =
    "// Made from the tables calls/*.calls while building. Do not edit.\n#pragma once\n// NOLINTBEGIN\n\n";
constexpr std::string_view kFoot = "// NOLINTEND\n";

template <class Names>
std::string enumeration(std::string_view name, std::string_view base, const Names& names) {
  std::string text = fmt::format("enum class {} : {} {{\n", name, base);
  for (const auto& entry : names) text += fmt::format("  {},\n", entry);
  return text + "};\n" + fmt::format("inline constexpr std::size_t k{}Count = {};\n\n", name, names.size());
}

std::string made_as(Made made) { return fmt::format("Made::{}", weir::name(made)); }

std::string many_as(const Items& items) {
  constexpr std::array<std::string_view, 9> names = {"one",       "argument", "pointed", "size", "indegree",
                                                     "outdegree", "rank",     "sum",     "last"};
  if (items.many == Many::one) return "{}";
  const std::string each =
      items.lists ? fmt::format(", true, {}, {}", items.each_of, items.each_with) : std::string();
  return fmt::format("{{Many::{}, {}, {}, {}{}}}", names[static_cast<std::size_t>(items.many)], items.of,
                     items.factor, items.with, each);
}

std::string standard_as(Standard stream) {
  constexpr std::array<std::string_view, 4> names = {"none", "input", "output", "error"};
  return fmt::format("Standard::{}", names[static_cast<std::size_t>(stream)]);
}

}  // namespace

std::string emit_ids(const Catalog& catalog) {
  std::vector<std::string_view> layers;
  std::vector<std::string_view> calls;
  std::vector<std::string_view> symbols;
  for (const Table& table : *catalog.tables) {
    if (!table.adds_to_another()) layers.push_back(table.layer);
    for (const Row& row : table.rows) calls.push_back(row.name);
  }
  symbols.reserve(catalog.symbols.size());
  for (const ExportedSymbol& symbol : catalog.symbols) symbols.push_back(symbol.name);

  std::string text(kHead);
  text += "#include <cstddef>\n#include <cstdint>\n\nnamespace weir {\n\n";
  text += enumeration("Layer", "std::uint8_t", layers);
  text += enumeration("Call", "std::uint16_t", calls);
  text += enumeration("Symbol", "std::uint16_t", symbols);
  return text + "}  // namespace weir\n" + std::string(kFoot);
}

std::string emit_table(const Catalog& catalog) {
  std::string layers;
  std::string calls;
  std::string arguments;
  std::string symbols;
  std::size_t first = 0;
  for (const Table& table : *catalog.tables) {
    if (!table.adds_to_another()) layers += fmt::format("    \"{}\",\n", table.layer);
    for (const Row& row : table.rows) {
      calls += fmt::format(
          "    {{\"{}\", \"{}\", {}, {}, Call::{}, Symbol::{}, Layer::{}, Role::{}, {}, {}, ", row.name,
          row.result_type, first, row.arguments.size(), row.means.empty() ? row.name : row.means, row.name,
          row.layer, weir::name(row.result), made_as(row.makes), standard_as(row.on));
      calls += fmt::format("{}, {}, {}, {}, {}, ", row.opens, row.closes, row.closes_many,
                           row.variadic && !row.passes_va_list(), row.leaves);
      calls +=
          fmt::format("{}, {}, {}, {}, {}, Failure::{}}},\n", row.starts, row.persistent, row.completes,
                      row.agrees, row.collective, kFailureWords[static_cast<std::size_t>(table.failure)]);
      for (const RowArgument& a : row.arguments)
        arguments += fmt::format("    {{\"{}\", \"{}\", Role::{}, Direction::{}, {}, {}}},\n", a.name, a.type,
                                 weir::name(a.role), weir::name(a.direction), many_as(a.many), a.items);
      first += row.arguments.size();
    }
  }
  for (const ExportedSymbol& symbol : catalog.symbols)
    symbols +=
        fmt::format("    {{\"{}\", \"{}\", Call::{}}},\n", symbol.name, symbol.real_name, symbol.row->name);

  std::string text(kHead);
  text += "#include <string_view>\n\n#include \"calls/call.hpp\"\n\nnamespace weir::generated {\n\n";
  const auto array = [&](std::string_view type, std::string_view name, std::string_view entries) {
    text += fmt::format("inline constexpr {} {}[] = {{\n{}}};\n\n", type, name, entries);
  };
  array("std::string_view", "kLayers", layers);
  array("CallInfo", "kCalls", calls);
  array("Argument", "kArguments", arguments);
  array("SymbolInfo", "kSymbols", symbols);
  return text + "}  // namespace weir::generated\n" + std::string(kFoot);
}

}  // namespace weir::host
