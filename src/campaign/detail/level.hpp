#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "campaign/detail/document.hpp"
#include "campaign/grid.hpp"

namespace weir::campaign::detail {

// "65536", "64k", "1.5GiB", "1.2GHz" (in hertz), "-3": the number, where the text is one.
std::optional<double> number_in(std::string_view text);

// Plainly: "65536", "1.2".
std::string plain(double number);
// The number plainly where it is one, else the text: what stores keep.
std::string plain(const Level& level);

Level level_of(std::string_view text);
// A text, number or boolean of a grid file; nothing for other nodes.
std::optional<Level> level_of(const Node& node);
// Same setting: equal numbers however they are spelled, else equal texts.
bool same(const Level& a, const Level& b);

// The levels of one factor: a list of values and ranges, one range, or one value.
Result<std::vector<Level>> levels_of(const Node& node, std::string_view factor);

}  // namespace weir::campaign::detail
