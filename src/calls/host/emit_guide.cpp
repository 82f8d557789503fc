#include <fmt/format.h>

#include "calls/host/declarator.hpp"
#include "calls/host/emit.hpp"

namespace weir::host {
namespace {

std::string prototype(const Row& row) {
  std::string list;
  for (const RowArgument& a : row.arguments) {
    if (!list.empty()) list += ", ";
    const bool rest = row.variadic && &a == &row.arguments.back();
    const bool listed = row.list && a.type == "char* const*";
    list += rest || listed ? "..." : declare(a.type, a.name);
    if (listed) break;
  }
  return fmt::format("{} {}({})", row.result_type, row.name, list);
}

std::string meaning(const Row& row) {
  std::string text;
  for (const RowArgument& a : row.arguments)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", a.name, weir::name(a.role));
  if (row.result_type != "void")
    text += fmt::format("{}→ {}", text.empty() ? "" : " ", weir::name(row.result));
  if (row.makes != Made::file) text += fmt::format(" ({})", weir::name(row.makes));
  if (row.on != Standard::none) text += fmt::format(", on {}", weir::name(row.on));
  return text;
}

std::string other_names(const Row& row) {
  std::string text;
  for (const auto* const names : {&row.aliases, &row.twins})
    for (const std::string& other : *names) text += fmt::format("{}`{}`", text.empty() ? "" : ", ", other);
  return text;
}

}  // namespace

std::string emit_guide(const Catalog& catalog) {
  std::string text =
      "# Traced calls\n\nMade from the tables in `calls/` while building. A call is traced under the name in "
      "its\n"
      "prototype, whichever of its names the program uses.\n";
  for (const Table& table : *catalog.tables) {
    const std::string more = table.adds_to_another() ? fmt::format(", {}", table.name) : std::string();
    text += fmt::format("\n## Layer {}{}: {} calls\n\n", table.layer, more, table.rows.size());
    text += "| call | arguments and result | also called |\n| --- | --- | --- |\n";
    for (const Row& row : table.rows)
      text += fmt::format("| `{}` | {} | {} |\n", prototype(row), meaning(row), other_names(row));
  }
  text += "\n## Roles\n\n| role | what it is |\n| --- | --- |\n";
  for (const RoleInfo& role : kRoles) text += fmt::format("| {} | {} |\n", role.name, role.what);
  return text;
}

}  // namespace weir::host
