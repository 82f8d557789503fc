#pragma once

#include <cstddef>

namespace weir::trace::detail {

// Bytes with a meaning in a name template (name_template.hpp).
inline constexpr char kNumber = 1;
inline constexpr char kProcess = 2;
inline constexpr char kEscape = 3;
inline constexpr std::size_t kMostDigits = 18;  // always fits 64 bits

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace weir::trace::detail
