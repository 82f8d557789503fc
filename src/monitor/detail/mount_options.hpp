#pragma once

#include <string_view>

namespace weir::monitor::detail {

// The value of "key=value" in a comma-separated list, or an empty view.
std::string_view option(std::string_view options, std::string_view key);
bool has_option(std::string_view options, std::string_view word);

}  // namespace weir::monitor::detail
