#pragma once

#include <string_view>

#include <fmt/format.h>

namespace weir::detail {
[[noreturn]] void check_failed(const char* file, int line, const char* condition, std::string_view why);
}  // namespace weir::detail

// Stops the program when an invariant of Weir itself is broken, in release builds too.
// What a healthy program can meet (bad input, a full disk) is a Result, never a check.
//   WEIR_CHECK(begin <= end, "span {}..{}", begin, end);
#define WEIR_CHECK(condition, ...)                                                                 \
  do {                                                                                             \
    if (!(condition)) [[unlikely]]                                                                 \
      ::weir::detail::check_failed(__FILE__, __LINE__, #condition, ::fmt::format("" __VA_ARGS__)); \
  } while (false)
