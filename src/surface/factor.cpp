#include "surface/factor.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/nearest.hpp"

namespace weir::surface {
namespace {

constexpr std::array<std::pair<Scale, std::string_view>, 5> kNames = {{{Scale::automatic, "auto"},
                                                                       {Scale::raw, "raw"},
                                                                       {Scale::linear, "linear"},
                                                                       {Scale::log, "log"},
                                                                       {Scale::level, "level"}}};

Result<double> parse_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc() || stopped != end || !std::isfinite(value))
    return Error{Errc::usage, fmt::format("'{}' is not a number", text)};
  return value;
}

// How uneven the gaps between ascending values are: their standard deviation over their mean.
double unevenness(const std::vector<double>& values) {
  const auto gaps = static_cast<double>(values.size() - 1);
  const double mean = (values.back() - values.front()) / gaps;
  double squares = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double off = values[i] - values[i - 1] - mean;
    squares += off * off;
  }
  return std::sqrt(squares / gaps) / mean;
}

}  // namespace

std::string_view name(Scale scale) {
  for (const auto& [known, word] : kNames)
    if (known == scale) return word;
  return "?";
}

Result<Scale> parse_scale(std::string_view text) {
  for (const auto& [known, word] : kNames)
    if (word == text) return known;
  return Error{Errc::usage, fmt::format("no scale '{}'", text)}.with_remedy(
      "use auto, raw, linear, log or level");
}

Result<FactorRequest> parse_factor(std::string_view text) {
  FactorRequest request;
  const std::string whole(text);
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    const auto scale = parse_scale(text.substr(colon + 1));
    if (!scale) return scale.error().in(fmt::format("factor '{}'", whole));
    request.scale = *scale;
    text = text.substr(0, colon);
  }
  if (const std::size_t slash = text.rfind('/'); slash != std::string_view::npos) {
    const auto unit = parse_number(text.substr(slash + 1));
    if (!unit || *unit <= 0)
      return Error{Errc::usage, fmt::format("'{}' is no unit", text.substr(slash + 1))}
          .in(fmt::format("factor '{}'", whole))
          .with_remedy("write NAME/1000 for thousands");
    request.unit = *unit;
    text = text.substr(0, slash);
  }
  if (text.empty()) return Error{Errc::usage, fmt::format("factor '{}' has no name", whole)};
  request.column = text;
  return request;
}

bool Factor::geometric() const {
  if (words() || values.size() < 3 || values.front() <= 0) return false;
  std::vector<double> logs(values.size());
  std::transform(values.begin(), values.end(), logs.begin(), [](double v) { return std::log(v); });
  return unevenness(logs) < unevenness(values);
}

Result<double> Factor::parse(std::string_view text) const {
  if (words()) {
    const auto found = std::find(levels.begin(), levels.end(), text);
    if (found != levels.end()) return static_cast<double>(found - levels.begin());
    const auto meant = nearest(text, levels);
    return Error{Errc::not_found, fmt::format("factor {}: no level '{}'", name, text)}.with_remedy(
        meant ? fmt::format("did you mean '{}'?", *meant)
              : fmt::format("measured are {}", fmt::join(levels, ", ")));
  }
  const auto value = parse_number(text);
  if (!value) return value.error().in(fmt::format("factor {}", name));
  return *value / unit;
}

std::string Factor::text(double value) const {
  if (words()) {
    const auto index = static_cast<std::size_t>(value);
    return index < levels.size() ? levels[index] : "?";
  }
  return fmt::format("{:.15g}", value * unit);
}

Result<std::size_t> find_factor(const std::vector<Factor>& factors, std::string_view name) {
  std::vector<std::string> names;
  for (const Factor& factor : factors) names.push_back(factor.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const auto meant = nearest(name, names);
  return Error{Errc::not_found, fmt::format("the map has no factor '{}'", name)}.with_remedy(
      meant ? fmt::format("did you mean '{}'?", *meant)
            : fmt::format("its factors are {}", fmt::join(names, ", ")));
}

}  // namespace weir::surface
