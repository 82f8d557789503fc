#include "cli/map_question.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.hpp"

namespace weir::cli {
namespace {

using surface::MapData;
using Parts = std::vector<stats::KeyPart>;
using Maps = std::vector<const MapData*>;

// The map whose split has the given values; parts that name a split are taken out.
Result<std::size_t> choose_map(const Maps& maps, Parts& parts) {
  Parts key;
  Parts rest;
  for (const stats::KeyPart& part : parts) {
    const auto& columns = maps.front()->key;
    const bool splits = std::any_of(columns.begin(), columns.end(),
                                    [&](const stats::KeyPart& one) { return one.column == part.column; });
    (splits ? key : rest).push_back(part);
  }
  std::vector<std::string> known;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const Parts& own = maps[i]->key;
    const bool same = std::all_of(own.begin(), own.end(), [&](const stats::KeyPart& part) {
      return std::find(key.begin(), key.end(), part) != key.end();
    });
    if (same) {
      parts = std::move(rest);
      return i;
    }
    known.push_back(maps[i]->name());
  }
  known.resize(std::min<std::size_t>(known.size(), 5));
  return Error{Errc::not_found, key.empty() ? "which of the maps is not said" : "no such map"}.with_remedy(
      fmt::format("there are {}{}", fmt::join(known, "; "), maps.size() > 5 ? "; ..." : ""));
}

// "threads=1|4|16,mode=fread": every combination.
std::vector<Parts> combinations(const Parts& parts) {
  std::vector<Parts> all = {{}};
  for (const stats::KeyPart& part : parts) {
    std::vector<Parts> longer;
    std::size_t start = 0;
    while (start <= part.value.size()) {
      const std::size_t bar = std::min(part.value.find('|', start), part.value.size());
      for (auto one : all) {
        one.push_back({part.column, part.value.substr(start, bar - start)});
        longer.push_back(std::move(one));
      }
      start = bar + 1;
    }
    all = std::move(longer);
  }
  return all;
}

Result<void> ask(const Maps& maps, Parts parts, std::vector<Question>& asked) {
  const auto map = choose_map(maps, parts);
  if (!map) return map.error();
  const MapData& data = *maps[*map];
  auto at = surface::parse_configuration(data, parts);
  if (!at) return at.error();
  std::string label = assignments(data, *at);
  if (!data.key.empty()) label = data.name() + " " + label;
  std::replace(label.begin(), label.end(), ',', ' ');
  asked.push_back({.map = *map, .at = *std::move(at), .label = std::move(label)});
  return {};
}

Result<Parts> with_ranked(const Maps& maps, Parts parts, const std::string& rank) {
  std::vector<std::string> values;
  for (const MapData* map : maps) {
    for (const stats::KeyPart& part : map->key)
      if (part.column == rank && std::find(values.begin(), values.end(), part.value) == values.end())
        values.push_back(part.value);
    for (const surface::Factor& factor : map->factors)
      if (factor.name == rank && values.empty())
        for (const double value : factor.values) values.push_back(factor.text(value));
  }
  if (values.empty()) return Error{Errc::not_found, fmt::format("--rank: no factor or split '{}'", rank)};
  std::erase_if(parts, [&](const stats::KeyPart& part) { return part.column == rank; });
  parts.push_back({rank, fmt::format("{}", fmt::join(values, "|"))});
  return parts;
}

}  // namespace

void add_question_options(CLI::App& app, QuestionOptions& options) {
  app.add_option("--at", options.at, "a configuration: A=1,B=2; A=1|2|4 for several")
      ->type_name("A=V,...")
      ->delimiter(',');
  app.add_option("--rows", options.rows, "predict the configurations of this file")->type_name("FILE");
  app.add_option("--rows-where", options.rows_where, "which rows of that file")
      ->type_name("C=V,...")
      ->delimiter(',');
}

Result<std::vector<Question>> questions(const Maps& maps, const QuestionOptions& asked_for,
                                        const MapOptions& options, const std::string& rank) {
  std::vector<Question> asked;
  auto parts = parse_assignments(asked_for.at);
  if (!parts) return parts.error();
  if (!rank.empty()) {
    parts = with_ranked(maps, *std::move(parts), rank);
    if (!parts) return parts.error();
  }
  if (!parts->empty())
    for (auto& one : combinations(*parts))
      if (auto done = ask(maps, std::move(one), asked); !done) return done.error();
  if (asked_for.rows.empty()) return asked;
  auto rows = read_keys(options, *maps.front(), asked_for.rows, asked_for.rows_where);
  if (!rows) return rows.error();
  for (auto& one : *rows)
    if (auto done = ask(maps, std::move(one), asked); !done) return done.error().in(asked_for.rows);
  return asked;
}

MapQuestions about(const std::vector<Question>& asked, std::size_t map) {
  MapQuestions found;
  for (std::size_t i = 0; i < asked.size(); ++i)
    if (asked[i].map == map) found.places.push_back(i);
  if (found.places.empty()) return found;
  found.at.resize(static_cast<Eigen::Index>(found.places.size()), asked[found.places.front()].at.size());
  for (std::size_t i = 0; i < found.places.size(); ++i)
    found.at.row(static_cast<Eigen::Index>(i)) = asked[found.places[i]].at.transpose();
  return found;
}

Json configuration_json(const MapData& map, const Eigen::VectorXd& at) {
  Json json = key_json(map.key);
  for (std::size_t f = 0; f < map.factors.size(); ++f)
    json[map.factors[f].name] = map.factors[f].text(at[static_cast<Eigen::Index>(f)]);
  return json;
}

}  // namespace weir::cli
