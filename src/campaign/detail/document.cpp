#include "campaign/detail/document.hpp"

#include <fmt/format.h>

#include "base/check.hpp"

namespace weir::campaign::detail {

const Node* Node::find(std::string_view key) const {
  for (const auto& [field, node] : fields)
    if (field == key) return &node;
  return nullptr;
}

std::string_view name(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::nothing:
      return "nothing";
    case Node::Kind::table:
      return "a table";
    case Node::Kind::array:
      return "a list";
    case Node::Kind::text:
      return "a text";
    case Node::Kind::integer:
      return "a whole number";
    case Node::Kind::real:
      return "a number";
    case Node::Kind::boolean:
      return "true or false";
    case Node::Kind::date:
      return "a date";
  }
  WEIR_CHECK(false, "no such kind");
}

Error error_at(Place at, std::string_view message) {
  return Error{Errc::bad_data, fmt::format("line {}, column {}: {}", at.line, at.column, message)};
}

}  // namespace weir::campaign::detail
