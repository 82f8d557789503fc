#include <algorithm>
#include <string>

#include <toml++/toml.h>

#include "campaign/detail/document.hpp"

namespace weir::campaign::detail {
namespace {

Place place_of(const toml::source_region& region) { return {region.begin.line, region.begin.column}; }

Node node_of(const toml::node& from, Place at) {
  Node node;
  node.at = at;
  if (const auto* table = from.as_table()) {
    node.kind = Node::Kind::table;
    for (const auto& [key, value] : *table) {
      const Place key_at = place_of(key.source());
      node.fields.push_back(
          {std::string(key.str()), node_of(value, key_at.line > 0 ? key_at : place_of(value.source()))});
    }
    // toml++ keeps tables by name; people expect their factors in the order they wrote.
    std::stable_sort(node.fields.begin(), node.fields.end(), [](const Field& a, const Field& b) {
      return std::pair(a.node.at.line, a.node.at.column) < std::pair(b.node.at.line, b.node.at.column);
    });
  } else if (const auto* array = from.as_array()) {
    node.kind = Node::Kind::array;
    for (const auto& item : *array) node.items.push_back(node_of(item, place_of(item.source())));
  } else if (const auto text = from.value_exact<std::string>()) {
    node.kind = Node::Kind::text;
    node.text = *text;
  } else if (const auto integer = from.value_exact<std::int64_t>()) {
    node.kind = Node::Kind::integer;
    node.integer = *integer;
    node.real = static_cast<double>(*integer);
  } else if (const auto real = from.value_exact<double>()) {
    node.kind = Node::Kind::real;
    node.real = *real;
  } else if (const auto boolean = from.value_exact<bool>()) {
    node.kind = Node::Kind::boolean;
    node.boolean = *boolean;
  } else {
    node.kind = Node::Kind::date;
  }
  return node;
}

}  // namespace

Result<Node> parse_toml_document(std::string_view text) {
  try {
    const toml::table table = toml::parse(text);
    return node_of(table, {1, 1});
  } catch (const toml::parse_error& failure) {
    return error_at(place_of(failure.source()), std::string(failure.description()))
        .with_remedy("TOML wants texts in quotes and lists in brackets; see examples/quick.toml");
  }
}

}  // namespace weir::campaign::detail
