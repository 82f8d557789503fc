#pragma once

#include <string_view>

#include <fmt/format.h>

#include "base/result.hpp"

namespace weir {

// What Weir tells beside its answer: always to stderr, never from the preload libraries.
// `warn` is what a user must know, `info` what --verbose shows, `debug` what a developer asks for.
enum class LogLevel { error, warn, info, debug };

Result<LogLevel> parse_log_level(std::string_view name);
void set_log_level(LogLevel level);

// Prefixes every line: "weir fit: warning: ...".
void set_log_name(std::string_view name);

namespace detail {
void write_log(LogLevel level, std::string_view message);
bool log_is_on(LogLevel level);
}  // namespace detail

template <class... Args>
void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (detail::log_is_on(level)) detail::write_log(level, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  log(LogLevel::warn, format, std::forward<Args>(args)...);
}
template <class... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  log(LogLevel::info, format, std::forward<Args>(args)...);
}
template <class... Args>
void debug(fmt::format_string<Args...> format, Args&&... args) {
  log(LogLevel::debug, format, std::forward<Args>(args)...);
}

}  // namespace weir
