#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weir::campaign::detail {

struct Place {
  std::uint32_t line = 0;  // from 1
  std::uint32_t column = 0;
};

struct Field;

// What TOML and JSON have in common, with places, in the order of the file.
struct Node {
  enum class Kind { nothing, table, array, text, integer, real, boolean, date };
  Kind kind = Kind::nothing;
  Place at;
  std::string text;  // of a text
  std::int64_t integer = 0;
  double real = 0;  // also of an integer
  bool boolean = false;
  std::vector<Field> fields;  // of a table; a field's place is that of its key
  std::vector<Node> items;    // of an array

  const Node* find(std::string_view key) const;
  bool is_number() const { return kind == Kind::integer || kind == Kind::real; }
};

struct Field {
  std::string key;
  Node node;
};

// "a text", "a table": for messages.
std::string_view name(Node::Kind kind);

// "line 4, column 2: message".
Error error_at(Place at, std::string_view message);

Result<Node> parse_toml_document(std::string_view text);
Result<Node> parse_json_document(std::string_view text);

}  // namespace weir::campaign::detail
