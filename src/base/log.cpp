#include "base/log.hpp"

#include <array>
#include <memory>
#include <string>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "base/progress.hpp"

namespace weir {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"error", "warn", "info", "debug"};

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::warn:
      return spdlog::level::warn;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::debug:
      return spdlog::level::debug;
  }
  return spdlog::level::off;
}

// Never destroyed: threads may still log while the program exits.
spdlog::logger& logger() {
  static auto& instance = *[] {
    auto* made = new spdlog::logger("weir", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made->set_level(spdlog::level::warn);
    made->set_pattern("weir: %^%l%$: %v");
    return made;
  }();
  return instance;
}

}  // namespace

Result<LogLevel> parse_log_level(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames.at(i) == name) return static_cast<LogLevel>(i);
  return Error{Errc::usage, fmt::format("'{}' is not a log level", name)}.with_remedy(
      "use error, warn, info or debug");
}

void set_log_level(LogLevel level) { logger().set_level(to_spdlog(level)); }

void set_log_name(std::string_view name) { logger().set_pattern(fmt::format("{}: %^%l%$: %v", name)); }

namespace detail {

bool log_is_on(LogLevel level) { return logger().should_log(to_spdlog(level)); }

void write_log(LogLevel level, std::string_view message) {
  const ProgressPause pause;  // a message starts on a line of its own
  logger().log(to_spdlog(level), spdlog::string_view_t(message.data(), message.size()));
}

}  // namespace detail
}  // namespace weir
