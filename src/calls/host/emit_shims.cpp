#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "calls/host/declarator.hpp"
#include "calls/host/emit.hpp"

namespace weir::host {
namespace {

// One row's C signature in its several spellings.
struct Signature {
  std::string types;       // what the C function takes: "const char*, int, ..."
  std::string parameters;  // the same with names
  std::string handled;     // what the handler gets: "const char*, int, mode_t"
  std::string values;      // "path, flags, mode"
  std::string fixed;       // "path, flags": all but what stands for '...'
};

void append(std::string& list, std::string_view text) {
  if (!list.empty()) list += ", ";
  list += text;
}

Signature spell(const Row& row) {
  Signature made;
  for (std::size_t i = 0; i < row.arguments.size(); ++i) {
    const RowArgument& a = row.arguments[i];
    append(made.handled, a.type);
    append(made.values, a.name);
    if (row.list && i >= row.list_argument()) {
      if (i > row.list_argument()) continue;
      append(made.types, "const char*, ...");
      append(made.parameters, "const char* weir_first, ...");
      continue;
    }
    if (row.variadic && i + 1 == row.arguments.size()) {
      append(made.types, "...");
      append(made.parameters, "...");
      continue;
    }
    append(made.types, a.type);
    append(made.parameters, declare(a.type, a.name));
    append(made.fixed, a.name);
  }
  return made;
}

// The lines that make the last argument out of '...'; `weir_rest` can not be an argument's name by accident.
std::string take_rest(const Row& row, const Signature& s) {
  const RowArgument& last = row.arguments.back();
  const std::string& before = row.arguments[row.arguments.size() - 2].name;
  if (row.passes_va_list()) return fmt::format("  va_list {0};\n  va_start({0}, {1});\n", last.name, before);
  return fmt::format(
      "  va_list weir_rest;\n  va_start(weir_rest, {1});\n"
      "  {0} {4} = weir::take_last<Call::{2}>(weir_rest, {3});\n  va_end(weir_rest);\n",
      last.type.ends_with('*') ? last.type + " const" : "const " + last.type, before, row.name, s.fixed,
      last.name);
}

// The strings of a @list row, put together on the stack: exec comes after vfork and in signal handlers.
std::string collect_list(const Row& row) {
  const std::size_t at = row.list_argument();
  std::string text = fmt::format(
      "  va_list weir_rest;\n  va_start(weir_rest, weir_first);\n"
      "  const std::size_t weir_count = weir::count_strings(weir_first, weir_rest);\n  va_end(weir_rest);\n"
      "  auto** const {0} = static_cast<char**>(__builtin_alloca((weir_count + 1) * sizeof(char*)));\n"
      "  va_start(weir_rest, weir_first);\n  weir::collect_strings({0}, weir_first, weir_rest);\n",
      row.arguments[at].name);
  if (at + 1 < row.arguments.size())
    text += fmt::format("  char* const* const {} = va_arg(weir_rest, char* const*);\n",
                        row.arguments[at + 1].name);
  return text + "  va_end(weir_rest);\n";
}

std::string emit_shim(const ExportedSymbol& symbol) {
  const Row& row = *symbol.row;
  const Signature s = spell(row);
  const std::string& result = row.result_type;
  std::string text;
  if (symbol.declared) {
    text += fmt::format("[[maybe_unused]] constexpr {} (*header_agrees_{})({}) = &::{};\n", result,
                        symbol.name, s.types, symbol.name);
    if (!row.real.empty())
      text += fmt::format("[[maybe_unused]] constexpr {} (*header_agrees_{}_real)({}) = &::{};\n", result,
                          symbol.name, s.handled, symbol.real_name);
  }
  text += fmt::format("extern \"C\" {} shim_{}({}) __asm__(\"{}\") WEIR_EXPORT;\n", result, symbol.name,
                      s.types, symbol.name);
  text += fmt::format("extern \"C\" {} shim_{}({}) {{\n", result, symbol.name, s.parameters);
  if (row.variadic) text += take_rest(row, s);
  if (row.list) text += collect_list(row);
  const bool own_name = symbol.name == row.name;
  const std::string which = own_name ? std::string() : fmt::format(", Symbol::{}", symbol.name);
  const std::string call =
      fmt::format("intercept<Call::{}, {}({}){}>({})", row.name, result, s.handled, which, s.values);
  if (row.passes_va_list())
    text += fmt::format("  const auto result = {};\n  va_end({});\n  return result;\n", call,
                        row.arguments.back().name);
  else
    text += fmt::format("  return {};\n", call);
  return text + "}\n\n";
}

// A version that lacks a function may have a macro of its name, for the one that took its place; ids are
// names too.
std::string forget_macros(const Catalog& catalog, const Table& table) {
  std::string text;
  for (const Table& other : *catalog.tables) {
    if (other.layer != table.layer) continue;
    for (const Row& row : other.rows)
      text += fmt::format("#ifndef WEIR_HAS_{0}\n#undef {0}\n#endif\n", row.name);
  }
  return text;
}

}  // namespace

std::string emit_exports(const Catalog& catalog, const Table& table) {
  std::vector<std::string_view> names;
  for (const ExportedSymbol& symbol : catalog.symbols)
    if (symbol.row->table == table.name && !symbol.row->by_hand) names.push_back(symbol.name);
  std::sort(names.begin(), names.end());
  return fmt::format("{}\n", fmt::join(names, "\n"));
}

std::string emit_shims(const Catalog& catalog, const Table& table, Problems& problems) {
  std::string text =
      fmt::format("// Made from {} while building. Do not edit.\n// NOLINTBEGIN\n", table.file);
  for (const std::string& header : table.includes) text += fmt::format("#include {}\n", header);
  for (const std::string& header : table.includes_if)
    text += fmt::format("#if __has_include({0})\n#include {0}\n#endif\n", header);
  if (table.varies)  // it may also have grown old
    text += "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n" + forget_macros(catalog, table);
  text +=
      "\n#include \"intercept/shim.hpp\"\n\nusing weir::Call;\nusing weir::Symbol;\nusing "
      "weir::intercept;\n\n";
  for (const ExportedSymbol& symbol : catalog.symbols) {
    const Row& row = *symbol.row;
    if (row.table != table.name || row.by_hand) continue;
    if (row.passes_va_list() && row.result_type == "void")
      problems.push_back({row.file, row.line, "a row that hands on a va_list needs a result"});
    const std::string shim = emit_shim(symbol);
    text += table.varies ? fmt::format("#ifdef WEIR_HAS_{}\n{}#endif\n\n", symbol.name, shim) : shim;
  }
  text += table.library.empty()
              ? fmt::format("WEIR_FIND_LAYER_AT_START({})\n", table.layer)
              : fmt::format("WEIR_FIND_LAYER_IF_LOADED({}, \"{}\")\n", table.layer, table.library);
  text += "// NOLINTEND\n";
  return text;
}

}  // namespace weir::host
