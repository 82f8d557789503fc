#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace weir {

// Edits (insert, delete, replace, swap of neighbours) that turn one word into the other.
std::size_t edit_distance(std::string_view from, std::string_view to);

// The candidate a typist most likely meant, if one is near enough to be worth naming.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace weir
