#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calls/items.hpp"
#include "calls/made.hpp"
#include "calls/role.hpp"

namespace weir::host {

struct RowArgument {
  std::string type;  // "const char*", "int (*)(const void*)"
  std::string name;
  Role role = Role::value;
  Direction direction = Direction::in;
  std::size_t items = 1;  // behind the pointer: 2 for "int ends[2]"
  Items many;
  std::string counted_by;    // the argument that tells how many; empty: none does
  std::string counted_with;  // and the second one: rank(ncid, varid)
  std::string each_by;       // the same for each item that is a list
  std::string each_with;
};

// What a row of a table says about one call.
struct Row {
  std::string file;
  int line = 0;
  std::string layer;
  std::string table;  // its name: there may be several of one layer
  std::string name;
  std::string result_type;
  Role result = Role::value;
  std::vector<RowArgument> arguments;

  bool opens = false;
  bool closes = false;
  bool closes_many = false;
  bool variadic = false;
  bool undeclared = false;
  bool leaves = false;
  bool list = false;
  bool unprofiled = false;
  bool starts = false;
  bool persistent = false;
  bool completes = false;
  bool agrees = false;
  bool collective = false;
  bool by_hand = false;
  Made makes = Made::file;
  Standard on = Standard::none;
  std::vector<std::string> aliases;
  std::vector<std::string> twins;  // aliases that no header declares, or with other types
  std::string means;               // empty: itself
  std::string real;                // empty: the name it was called by

  // Passes C's '...' on as a va_list; other variadic rows take their one last argument out of it.
  bool passes_va_list() const { return variadic && arguments.back().type == "va_list"; }

  // Of a @list row: the argument that the strings in C's '...' are collected into.
  std::size_t list_argument() const {
    std::size_t at = 0;
    while (at < arguments.size() && arguments[at].type != "char* const*") ++at;
    return at;
  }
};

struct Table {
  std::string file;
  std::string name;   // the file's name without ".calls"
  std::string layer;  // the same, unless the table adds to another's
  std::vector<std::string> includes;
  std::vector<std::string> includes_if;  // where they are installed
  std::string library;                   // empty: the C library's, which every program has
  std::vector<Row> rows;
  Failure failure = Failure::minus_one;
  bool profiled = false;  // each name also exists with a P in front, for profiling libraries and for Fortran
  bool adds_to_another() const { return layer != name; }
  bool varies = false;  // an installed library may lack some: a shim is compiled where WEIR_HAS_<name> is set
};

enum class Takes : std::uint8_t { nothing, one_name, names, role, made, standard };

struct AttributeInfo {
  std::string_view name;
  Takes takes;
};

// calls/posix.calls says what each of them means.
inline constexpr std::array kAttributes = {
    AttributeInfo{"opens", Takes::nothing},      AttributeInfo{"closes", Takes::nothing},
    AttributeInfo{"variadic", Takes::nothing},   AttributeInfo{"undeclared", Takes::nothing},
    AttributeInfo{"leaves", Takes::nothing},     AttributeInfo{"unprofiled", Takes::nothing},
    AttributeInfo{"alias", Takes::names},        AttributeInfo{"means", Takes::one_name},
    AttributeInfo{"real", Takes::one_name},      AttributeInfo{"result", Takes::role},
    AttributeInfo{"twin", Takes::names},         AttributeInfo{"closes_many", Takes::nothing},
    AttributeInfo{"list", Takes::nothing},       AttributeInfo{"makes", Takes::made},
    AttributeInfo{"on", Takes::standard},        AttributeInfo{"starts", Takes::nothing},
    AttributeInfo{"persistent", Takes::nothing}, AttributeInfo{"completes", Takes::nothing},
    AttributeInfo{"agrees", Takes::nothing},     AttributeInfo{"collective", Takes::nothing},
    AttributeInfo{"by_hand", Takes::nothing},
};

}  // namespace weir::host
