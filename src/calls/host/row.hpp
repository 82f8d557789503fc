#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calls/role.hpp"

namespace weir::host {

struct RowArgument {
  std::string type;  // "const char*", "int (*)(const void*)"
  std::string name;
  Role role = Role::value;
  Direction direction = Direction::in;
};

// What a row of a table says about one call.
struct Row {
  std::string file;
  int line = 0;
  std::string layer;
  std::string name;
  std::string result_type;
  Role result = Role::value;
  std::vector<RowArgument> arguments;

  bool opens = false;
  bool closes = false;
  bool variadic = false;
  bool undeclared = false;
  bool leaves = false;
  bool fortran = false;
  std::vector<std::string> aliases;
  std::string means;  // empty: itself
  std::string real;   // empty: the name it was called by

  // Passes C's '...' on as a va_list; other variadic rows take their one last argument out of it.
  bool passes_va_list() const { return variadic && arguments.back().type == "va_list"; }
};

struct Table {
  std::string file;
  std::string layer;  // the file's name without ".calls"
  std::vector<std::string> includes;
  std::vector<Row> rows;
};

enum class Takes : std::uint8_t { nothing, one_name, names, role };

struct AttributeInfo {
  std::string_view name;
  Takes takes;
};

// calls/posix.calls says what each of them means.
inline constexpr std::array kAttributes = {
    AttributeInfo{"opens", Takes::nothing},    AttributeInfo{"closes", Takes::nothing},
    AttributeInfo{"variadic", Takes::nothing}, AttributeInfo{"undeclared", Takes::nothing},
    AttributeInfo{"leaves", Takes::nothing},   AttributeInfo{"fortran", Takes::nothing},
    AttributeInfo{"alias", Takes::names},      AttributeInfo{"means", Takes::one_name},
    AttributeInfo{"real", Takes::one_name},    AttributeInfo{"result", Takes::role},
};

}  // namespace weir::host
