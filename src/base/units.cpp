#include "base/units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace weir {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array kByteUnits = {
    Unit{"", 1},       Unit{"B", 1},        Unit{"k", 0x1p10},   Unit{"K", 0x1p10},   Unit{"KiB", 0x1p10},
    Unit{"kB", 1e3},   Unit{"KB", 1e3},     Unit{"M", 0x1p20},   Unit{"MiB", 0x1p20}, Unit{"MB", 1e6},
    Unit{"G", 0x1p30}, Unit{"GiB", 0x1p30}, Unit{"GB", 1e9},     Unit{"T", 0x1p40},   Unit{"TiB", 0x1p40},
    Unit{"TB", 1e12},  Unit{"P", 0x1p50},   Unit{"PiB", 0x1p50}, Unit{"PB", 1e15},
};
constexpr std::array kTimeUnits = {
    Unit{"", 1e9},   Unit{"ns", 1},     Unit{"us", 1e3},   Unit{"ms", 1e6},    Unit{"s", 1e9},
    Unit{"m", 60e9}, Unit{"min", 60e9}, Unit{"h", 3600e9}, Unit{"d", 86400e9},
};

// The number before the unit and its factor; nothing if either is malformed, negative or not finite.
std::optional<double> parse_quantity(std::string_view text, std::span<const Unit> units) {
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || !std::isfinite(number) || number < 0) return std::nullopt;
  std::string_view unit(end, text.data() + text.size());
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const Unit& known : units)
    if (known.name == unit) return number * known.factor;
  return std::nullopt;
}

std::string three_digits(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  if (value >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

}  // namespace

Result<Bytes> parse_bytes(std::string_view text) {
  const auto bytes = parse_quantity(text, kByteUnits);
  if (!bytes)
    return Error{Errc::usage, fmt::format("'{}' is not a size", text)}.with_remedy(
        "write for example 4k, 512M or 1.5G");
  if (*bytes >= 0x1p63) return Error{Errc::too_big, fmt::format("'{}' is more than 8 EiB", text)};
  if (*bytes != std::floor(*bytes))
    return Error{Errc::usage, fmt::format("'{}' is not a whole number of bytes", text)};
  return Bytes(static_cast<std::uint64_t>(*bytes));
}

Result<Nanoseconds> parse_duration(std::string_view text) {
  const auto nanoseconds = parse_quantity(text, kTimeUnits);
  if (!nanoseconds)
    return Error{Errc::usage, fmt::format("'{}' is not a duration", text)}.with_remedy(
        "write for example 250ms, 90s or 1.5h");
  if (*nanoseconds >= 0x1p63) return Error{Errc::too_big, fmt::format("'{}' is more than 292 years", text)};
  return Nanoseconds(static_cast<std::int64_t>(std::llround(*nanoseconds)));
}

std::string format_bytes(Bytes bytes) {
  if (bytes.count < 1024) return fmt::format("{} B", bytes.count);
  constexpr std::array kNames = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes.count) / 1024;
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < kNames.size(); ++unit) value /= 1024;
  return fmt::format("{} {}", three_digits(value), kNames.at(unit));
}

std::string format_rate(Bytes bytes, Nanoseconds in) {
  if (in.count <= 0) return "-";
  const double per_second = static_cast<double>(bytes.count) / (static_cast<double>(in.count) * 1e-9);
  if (per_second >= 0x1p63) return "-";
  return format_bytes(Bytes(static_cast<std::uint64_t>(per_second))) + "/s";
}

std::string format_duration(Nanoseconds duration) {
  if (duration.count < 0) return "-" + format_duration(Nanoseconds(-duration.count));
  const double ns = static_cast<double>(duration.count);
  if (ns < 1e3) return fmt::format("{} ns", duration.count);
  if (ns < 999.5e3) return three_digits(ns / 1e3) + " us";
  if (ns < 999.5e6) return three_digits(ns / 1e6) + " ms";
  if (ns < 59.95e9) return three_digits(ns / 1e9) + " s";
  const auto seconds = static_cast<std::int64_t>(std::llround(ns / 1e9));
  if (seconds < 3600) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
  const std::int64_t minutes = (seconds + 30) / 60;
  if (minutes < 48 * 60) return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
  return fmt::format("{} d {} h", minutes / 1440, minutes / 60 % 24);
}

std::string format_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ' ');
  return digits;
}

}  // namespace weir
