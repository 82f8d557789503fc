#include "surface/map_data.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weir::surface {
namespace {

using Key = std::vector<stats::KeyPart>;

struct Point {
  Key key;  // factors and labels
  std::vector<double> values;
};

const std::string* find(const Key& key, const std::string& column) {
  for (const stats::KeyPart& part : key)
    if (part.column == column) return &part.value;
  return nullptr;
}

bool numeric(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, fault] = std::from_chars(text.data(), end, value);
  return fault == std::errc() && stopped == end && std::isfinite(value);
}

// Numbers that are the same value compare equal however they are spelled: 4 and 4.0.
bool same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  double x = 0;
  double y = 0;
  if (!numeric(a) || !numeric(b)) return false;
  std::from_chars(a.data(), a.data() + a.size(), x);
  std::from_chars(b.data(), b.data() + b.size(), y);
  return x == y;
}

std::string text_of(const Key& key) {
  std::vector<std::string> parts;
  for (const stats::KeyPart& part : key) parts.push_back(part.column + "=" + part.value);
  return fmt::format("{}", fmt::join(parts, " "));
}

// Makes one map of the points that share a split.
class MapBuilder {
 public:
  MapBuilder(const MapRequest& request, std::vector<FactorRequest> factors)
      : request_(request), wanted_(std::move(factors)) {}

  Result<MapData> build(Key split, std::vector<Point> points, const std::string& column) {
    map_.key = std::move(split);
    map_.statistic = request_.statistic;
    map_.response_given = request_.response_given;
    map_.response =
        request_.response_given ? column : fmt::format("{} of {}", request_.statistic.name(), column);
    merge(points);
    reduce(points);
    if (points.empty())
      return Error{Errc::bad_data, fmt::format("not one configuration has the {} runs that {} needs",
                                               request_.statistic.least_runs(), request_.statistic.name())};
    if (auto made = make_factors(points); !made) return made.error();
    if (map_.factors.empty())
      return Error{Errc::bad_data, "no factor varies: there is nothing to make a map over"};
    fill(points);
    return std::move(map_);
  }

 private:
  // Points of one configuration become one, in order of first appearance.
  void merge(std::vector<Point>& points) {
    std::map<std::vector<std::string>, std::size_t> seen;
    std::vector<Point> merged;
    std::size_t repeats = 0;
    for (Point& point : points) {
      std::vector<std::string> key;
      for (const FactorRequest& factor : wanted_) {
        const std::string& text = *find(point.key, factor.column);
        double value = 0;
        std::from_chars(text.data(), text.data() + text.size(), value);
        key.push_back(factor.scale != Scale::level && numeric(text) ? fmt::format("{}", value) : text);
      }
      const auto [known, fresh] = seen.try_emplace(std::move(key), merged.size());
      if (fresh) {
        merged.push_back(std::move(point));
        continue;
      }
      ++repeats;
      auto& values = merged[known->second].values;
      values.insert(values.end(), point.values.begin(), point.values.end());
    }
    const auto several = std::count_if(merged.begin(), merged.end(),
                                       [](const Point& point) { return point.values.size() > 1; });
    if (repeats > 0)
      map_.notes.push_back(fmt::format("{} rows repeat a configuration and are merged with it", repeats));
    else if (request_.response_given && several > 0)
      map_.notes.push_back(fmt::format("{} configurations have several values; their mean is used", several));
    points = std::move(merged);
  }

  void reduce(std::vector<Point>& points) {
    std::vector<Point> usable;
    for (Point& point : points) {
      const Statistic mean{.kind = Statistic::Kind::mean};
      const double value = (request_.response_given ? mean : request_.statistic).of(point.values);
      if (!std::isfinite(value)) continue;
      values_.push_back(value);
      usable.push_back(std::move(point));
    }
    if (usable.size() < points.size())
      map_.notes.push_back(fmt::format("{} configurations with fewer than {} runs are left out",
                                       points.size() - usable.size(), request_.statistic.least_runs()));
    points = std::move(usable);
  }

  Result<void> make_factors(const std::vector<Point>& points) {
    for (const FactorRequest& wanted : wanted_) {
      Factor factor{
          .name = wanted.column, .unit = wanted.unit, .scale = wanted.scale, .levels = {}, .values = {}};
      const bool numbers = std::all_of(points.begin(), points.end(), [&](const Point& point) {
        return numeric(*find(point.key, wanted.column));
      });
      if (!numbers && wanted.scale != Scale::automatic && wanted.scale != Scale::level)
        return Error{Errc::bad_data, fmt::format("factor {} has words; it cannot be on a {} scale",
                                                 wanted.column, name(wanted.scale))};
      if (!numbers) factor.scale = Scale::level;
      if (factor.scale == Scale::automatic) factor.scale = request_.scale;
      collect(factor, points);
      if (factor.values.size() < 2 && !request_.keep_constant) {
        map_.fixed.push_back({wanted.column, *find(points.front().key, wanted.column)});
        map_.notes.push_back(fmt::format("factor {} has one value only and is left out", wanted.column));
        continue;
      }
      if (factor.scale == Scale::log && factor.values.front() <= 0)
        return Error{Errc::bad_data,
                     fmt::format("factor {} goes down to {}; a log scale needs values above 0", factor.name,
                                 factor.text(factor.values.front()))};
      map_.factors.push_back(std::move(factor));
    }
    return {};
  }

  static void collect(Factor& factor, const std::vector<Point>& points) {
    std::set<double> values;
    for (const Point& point : points) {
      const std::string& text = *find(point.key, factor.name);
      if (factor.words()) {
        if (std::find(factor.levels.begin(), factor.levels.end(), text) == factor.levels.end())
          factor.levels.push_back(text);
      } else {
        values.insert(*factor.parse(text));
      }
    }
    if (factor.words())
      for (std::size_t i = 0; i < factor.levels.size(); ++i) values.insert(static_cast<double>(i));
    factor.values.assign(values.begin(), values.end());
  }

  void fill(std::vector<Point>& points) {
    const auto n = static_cast<Eigen::Index>(points.size());
    map_.at.resize(n, static_cast<Eigen::Index>(map_.factors.size()));
    map_.value = Eigen::Map<const Eigen::VectorXd>(values_.data(), n);
    for (Eigen::Index i = 0; i < n; ++i) {
      Point& point = points[static_cast<std::size_t>(i)];
      for (std::size_t f = 0; f < map_.factors.size(); ++f)
        map_.at(i, static_cast<Eigen::Index>(f)) =
            *map_.factors[f].parse(*find(point.key, map_.factors[f].name));
      map_.runs.push_back(std::move(point.values));
      Key labels = map_.key;
      labels.insert(labels.end(), point.key.begin(), point.key.end());
      map_.labels.push_back(std::move(labels));
    }
  }

  const MapRequest& request_;
  std::vector<FactorRequest> wanted_;
  MapData map_;
  std::vector<double> values_;
};

// Without --factors, every column of the key that is neither split nor a label.
std::vector<FactorRequest> all_factors(const Key& key, const MapRequest& request) {
  std::vector<FactorRequest> factors;
  for (const stats::KeyPart& part : key) {
    const auto other = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), part.column) != names.end();
    };
    const bool condition = std::any_of(request.where.begin(), request.where.end(),
                                       [&](const Condition& c) { return c.column == part.column; });
    if (!other(request.split) && !other(request.labels) && !condition)
      factors.push_back({.column = part.column});
  }
  return factors;
}

}  // namespace

bool kept(const std::vector<stats::KeyPart>& key, const std::vector<Condition>& where) {
  return std::all_of(where.begin(), where.end(), [&](const Condition& condition) {
    const std::string* const value = find(key, condition.column);
    return value != nullptr && same_value(*value, condition.value) == condition.equal;
  });
}

Result<Condition> parse_condition(std::string_view text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string_view::npos || sign == 0 || sign + 1 == text.size())
    return Error{Errc::usage, fmt::format("'{}' is no condition", text)}.with_remedy(
        "write COLUMN=VALUE or COLUMN!=VALUE");
  const bool equal = text[sign - 1] != '!';
  return Condition{.column = std::string(text.substr(0, equal ? sign : sign - 1)),
                   .value = std::string(text.substr(sign + 1)),
                   .equal = equal};
}

std::vector<std::string> MapRequest::key_columns() const {
  std::vector<std::string> columns;
  if (factors.empty()) return columns;
  const auto add = [&](const std::string& column) {
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
  };
  for (const std::string& column : split) add(column);
  for (const FactorRequest& factor : factors) add(factor.column);
  for (const std::string& column : labels) add(column);
  for (const Condition& condition : where) add(condition.column);
  return columns;
}

std::string MapData::name() const { return key.empty() ? "all" : text_of(key); }

std::string MapData::configuration(Eigen::Index i) const {
  std::vector<std::string> parts;
  for (std::size_t f = 0; f < factors.size(); ++f)
    parts.push_back(
        fmt::format("{}={}", factors[f].name, factors[f].text(at(i, static_cast<Eigen::Index>(f)))));
  return fmt::format("{}", fmt::join(parts, " "));
}

Result<std::vector<MapData>> make_maps(const stats::Samples& samples, const MapRequest& request) {
  const Key& columns = samples.groups.front().key;
  const auto factors = request.factors.empty() ? all_factors(columns, request) : request.factors;
  if (factors.empty())
    return Error{Errc::usage, "no factors"}.in(samples.source).with_remedy("name them with --factors A,B");
  for (const FactorRequest& factor : factors) {
    if (std::find(request.split.begin(), request.split.end(), factor.column) != request.split.end())
      return Error{Errc::usage, fmt::format("'{}' is both a factor and a split", factor.column)};
    if (find(columns, factor.column) == nullptr)
      return Error{Errc::not_found, fmt::format("no column '{}'", factor.column)}.in(samples.source);
  }
  std::vector<std::pair<Key, std::vector<Point>>> maps;
  for (const stats::Group& group : samples.groups) {
    if (!kept(group.key, request.where)) continue;
    Key split;
    Key rest;
    for (const stats::KeyPart& part : group.key) {
      const bool splits =
          std::find(request.split.begin(), request.split.end(), part.column) != request.split.end();
      (splits ? split : rest).push_back(part);
    }
    auto known = std::find_if(maps.begin(), maps.end(), [&](const auto& map) { return map.first == split; });
    if (known == maps.end()) known = maps.insert(maps.end(), {split, {}});
    known->second.push_back({std::move(rest), group.values});
  }
  if (maps.empty()) return Error{Errc::bad_data, "no row meets the conditions of --where"}.in(samples.source);
  std::vector<MapData> made;
  for (auto& [split, points] : maps) {
    const std::string where =
        split.empty() ? samples.source : fmt::format("{}: {}", samples.source, text_of(split));
    auto map = MapBuilder(request, factors).build(std::move(split), std::move(points), samples.column);
    if (!map) return map.error().in(where);
    made.push_back(*std::move(map));
  }
  return made;
}

MapData take_rows(const MapData& map, const std::vector<Eigen::Index>& rows) {
  MapData taken;
  taken.response = map.response;
  taken.factors = map.factors;
  taken.key = map.key;
  taken.fixed = map.fixed;
  taken.statistic = map.statistic;
  taken.response_given = map.response_given;
  taken.at = map.at(rows, Eigen::all);
  taken.value = map.value(rows);
  for (const Eigen::Index row : rows) {
    taken.runs.push_back(map.runs[static_cast<std::size_t>(row)]);
    taken.labels.push_back(map.labels[static_cast<std::size_t>(row)]);
  }
  return taken;
}

std::vector<stats::KeyPart> factors_only(const MapData& map, const std::vector<stats::KeyPart>& parts) {
  Key kept_parts;
  for (const stats::KeyPart& part : parts) {
    const bool varies = std::any_of(map.factors.begin(), map.factors.end(),
                                    [&](const Factor& factor) { return factor.name == part.column; });
    if (varies || find(map.fixed, part.column) != nullptr) kept_parts.push_back(part);
  }
  return kept_parts;
}

Result<Eigen::VectorXd> parse_configuration(const MapData& map, const std::vector<stats::KeyPart>& given) {
  Eigen::VectorXd at(static_cast<Eigen::Index>(map.factors.size()));
  std::vector<std::string> names;
  for (const Factor& factor : map.factors) names.push_back(factor.name);
  for (const stats::KeyPart& part : given) {
    const std::string* const fixed = find(map.fixed, part.column);
    if (fixed != nullptr && !same_value(*fixed, part.value))
      return Error{Errc::not_found,
                   fmt::format("factor {}: only {} was measured, not '{}'", part.column, *fixed, part.value)};
    if (fixed != nullptr) continue;
    if (const auto known = find_factor(map.factors, part.column); !known) return known.error();
  }
  for (std::size_t f = 0; f < map.factors.size(); ++f) {
    const std::string* const text = find(given, map.factors[f].name);
    if (text == nullptr)
      return Error{Errc::usage, fmt::format("factor {} has no value", map.factors[f].name)}.with_remedy(
          fmt::format("a configuration names each of {}", fmt::join(names, ", ")));
    const auto value = map.factors[f].parse(*text);
    if (!value) return value.error();
    at[static_cast<Eigen::Index>(f)] = *value;
  }
  return at;
}

}  // namespace weir::surface
