#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "calls/host/lexer.hpp"

namespace weir::host {

// "const char* path", "const int sizes[]", "int (*filter)(const struct dirent*)" taken apart. Arrays become
// the pointers C passes for them. `problem` is empty when it could be done.
struct Declarator {
  std::string type;
  std::string name;
  bool plain = true;  // not an array
  std::string problem;
  std::size_t items = 1;  // the bound of "ends[2]"; 1 without a number
};

Declarator parse_declarator(std::span<const Token> tokens);

// An identifier that generated C++ may use: no keyword, no basic type.
bool is_free_name(std::string_view name);

// A parameter of that type: "int fd"; function pointers get their name in the middle.
std::string declare(std::string_view type, std::string_view name);

}  // namespace weir::host
