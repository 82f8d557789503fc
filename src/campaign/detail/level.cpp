#include "campaign/detail/level.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "base/units.hpp"

namespace weir::campaign::detail {
namespace {

constexpr std::size_t kMostLevels = 100'000;

std::optional<double> in_hertz(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{"GHz", 1e9}, {"MHz", 1e6}, {"kHz", 1e3}, {"Hz", 1}}};
  for (const auto& [unit, factor] : kUnits) {
    if (!text.ends_with(unit)) continue;
    text.remove_suffix(unit.size());
    while (text.ends_with(' ')) text.remove_suffix(1);
    double number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc{} || end != text.data() + text.size() || !std::isfinite(number))
      return std::nullopt;
    return std::round(number * factor * 1e6) / 1e6;
  }
  return std::nullopt;
}

// { from = 4, to = 16384, factor = 2, unit = "k" }
struct Range {
  double from = 0, to = 0;
  std::optional<double> step, factor;
  std::string unit;
};

Result<Range> range_of(const Node& node) {
  static const std::vector<std::string> kWords = {"from", "to", "step", "factor", "unit"};
  Range range;
  std::optional<double> from, to;
  for (const auto& [key, value] : node.fields) {
    if (key == "unit") {
      if (value.kind != Node::Kind::text || !number_in("1" + value.text))
        return error_at(value.at, "the unit of a range is a text such as \"k\" or \"MiB\"");
      range.unit = value.text;
      continue;
    }
    if (std::find(kWords.begin(), kWords.end(), key) == kWords.end()) {
      const auto meant = nearest(key, kWords);
      return error_at(value.at, fmt::format("a range has no '{}'", key))
          .with_remedy(meant ? fmt::format("did you mean '{}'?", *meant)
                             : "it has from, to, and step or factor, and unit");
    }
    if (!value.is_number() || !std::isfinite(value.real))
      return error_at(value.at, fmt::format("'{}' of a range is a number, not {}", key, name(value.kind)));
    (key == "from" ? from : key == "to" ? to : key == "step" ? range.step : range.factor) = value.real;
  }
  if (!from || !to || range.step.has_value() == range.factor.has_value())
    return error_at(node.at, "a range has from, to, and either step or factor");
  range.from = *from;
  range.to = *to;
  if (range.from > range.to) return error_at(node.at, "the range ends before it begins");
  if (range.step && !(*range.step > 0)) return error_at(node.at, "the step of a range is above 0");
  if (range.factor && (!(*range.factor > 1) || !(range.from > 0)))
    return error_at(node.at, "a range with a factor begins above 0 and has a factor above 1");
  return range;
}

Result<void> append_range(const Node& node, std::vector<Level>& levels) {
  const auto range = range_of(node);
  if (!range) return range.error();
  // A little beyond the end, so that 1.2 to 3.0 by 0.1 does not lose its last value to rounding.
  const double end = range->to + 1e-9 * std::max(std::abs(range->to), range->step.value_or(0));
  double value = range->from;
  for (std::size_t i = 0; value <= end; ++i) {
    if (levels.size() == kMostLevels)
      return error_at(node.at, fmt::format("more than {} levels", kMostLevels));
    levels.push_back(level_of(fmt::format("{:.12g}{}", value, range->unit)));
    value = range->step ? range->from + static_cast<double>(i + 1) * *range->step : value * *range->factor;
  }
  return {};
}

Result<void> append(const Node& node, std::vector<Level>& levels) {
  if (node.kind == Node::Kind::table) return append_range(node, levels);
  auto level = level_of(node);
  if (!level)
    return error_at(node.at, fmt::format("a level is a text, a number, true or false, or a range, not {}",
                                         name(node.kind)));
  if (level->text.empty()) return error_at(node.at, "a level is empty");
  if (level->text.find('\0') != std::string::npos) return error_at(node.at, "a level holds a zero byte");
  if (levels.size() == kMostLevels) return error_at(node.at, fmt::format("more than {} levels", kMostLevels));
  levels.push_back(*std::move(level));
  return {};
}

}  // namespace

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || !std::isfinite(number)) return std::nullopt;
  if (end == text.data() + text.size()) return number;
  if (const auto bytes = parse_bytes(text)) return static_cast<double>(bytes->count);
  return in_hertz(text);
}

std::string plain(double number) {
  constexpr double kExact = 9e15;
  if (number == std::floor(number) && std::abs(number) < kExact)
    return fmt::format("{}", static_cast<std::int64_t>(number));
  return fmt::format("{}", number);
}

std::string plain(const Level& level) { return level.number ? plain(*level.number) : level.text; }

Level level_of(std::string_view text) { return {std::string(text), number_in(text)}; }

std::optional<Level> level_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::text:
      return level_of(node.text);
    case Node::Kind::integer:
      return Level{fmt::format("{}", node.integer), node.real};
    case Node::Kind::real:
      if (!std::isfinite(node.real)) return std::nullopt;
      return Level{plain(node.real), node.real};
    case Node::Kind::boolean:
      return Level{node.boolean ? "true" : "false", std::nullopt};
    default:
      return std::nullopt;
  }
}

bool same(const Level& a, const Level& b) {
  return a.number && b.number ? *a.number == *b.number : a.text == b.text;
}

Result<std::vector<Level>> levels_of(const Node& node, std::string_view factor) {
  std::vector<Level> levels;
  if (node.kind == Node::Kind::array) {
    for (const Node& item : node.items)
      if (auto added = append(item, levels); !added)
        return added.error().in(fmt::format("factor '{}'", factor));
  } else if (auto added = append(node, levels); !added) {
    return added.error().in(fmt::format("factor '{}'", factor));
  }
  if (levels.empty()) return error_at(node.at, fmt::format("factor '{}' has no levels", factor));
  std::set<std::string> seen;
  for (const Level& level : levels)
    if (!seen.insert(plain(level)).second)
      return error_at(node.at, fmt::format("factor '{}' has the level '{}' twice", factor, level.text));
  return levels;
}

}  // namespace weir::campaign::detail
