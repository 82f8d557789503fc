#include <algorithm>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.hpp"
#include "base/log.hpp"
#include "campaign/store.hpp"
#include "cli/map.hpp"

namespace weir::cli {
namespace {

constexpr std::size_t kToldMaps = 3;

Result<surface::MapRequest> map_request(const MapOptions& options, const std::vector<std::string>& where) {
  surface::MapRequest request;
  for (const std::string& text : options.factors) {
    auto factor = surface::parse_factor(text);
    if (!factor) return factor.error();
    request.factors.push_back(*std::move(factor));
  }
  for (const std::string& text : where) {
    auto condition = surface::parse_condition(text);
    if (!condition) return condition.error();
    request.where.push_back(*std::move(condition));
  }
  const auto statistic = surface::parse_statistic(options.statistic);
  if (!statistic) return statistic.error();
  const auto scale = surface::parse_scale(options.scale);
  if (!scale) return scale.error();
  request.statistic = *statistic;
  request.scale = *scale;
  request.split = options.split;
  request.labels = options.labels;
  request.response_given = !options.response.empty();
  return request;
}

void tell_notes(const MapInput& input) {
  std::size_t told = 0;
  for (const surface::MapData& map : input.maps) {
    if (map.notes.empty() || ++told > kToldMaps) continue;
    for (const std::string& note : map.notes)
      warn("{}: {}{}", input.samples.source, map.key.empty() ? "" : map.name() + ": ", note);
  }
  if (told > kToldMaps) warn("... and likewise in {} more maps", told - kToldMaps);
}

Result<MapInput> read_as(const MapOptions& options, const std::string& file,
                         const surface::MapRequest& request) {
  const bool store = campaign::is_store(file);
  if (!store && options.response.empty() && options.from_runs.empty() && options.wide.empty())
    return Error{Errc::usage, "what was measured is not said"}.with_remedy(
        "give --from-runs COLUMN for single runs, --wide PREFIX for runs in columns, or --response COLUMN");
  if (!store && options.factors.empty() && options.wide.empty())
    return Error{Errc::usage, "no factors"}.with_remedy("name the columns of a configuration: --factors A,B");
  SampleOptions reading = options.input;
  reading.query.column = options.response.empty() ? options.from_runs : options.response;
  reading.query.wide = options.wide;
  reading.query.group = request.key_columns();
  auto samples = read(reading, file);
  if (!samples) return samples.error();
  auto maps = surface::make_maps(*samples, request);
  if (!maps) return maps.error();
  samples->groups.clear();
  MapInput input{*std::move(samples), *std::move(maps)};
  tell_notes(input);
  return input;
}

}  // namespace

void add_map_options(CLI::App& app, MapOptions& options) {
  add_file_option(app, options.input);
  app.add_option("--factors", options.factors,
                 "columns that make a configuration; NAME/1e6 changes the unit, NAME:log the scale")
      ->type_name("A,B,...")
      ->delimiter(',');
  app.add_option("--split", options.split, "columns whose values divide the data into maps")
      ->type_name("C,D,...")
      ->delimiter(',');
  auto* response =
      app.add_option("--response", options.response, "column that holds the response itself")->type_name("C");
  auto* runs = app.add_option("--from-runs", options.from_runs, "column of single runs; --statistic is taken")
                   ->type_name("C")
                   ->excludes(response);
  app.add_option("--wide", options.wide, "one row per configuration, its runs in columns that begin so")
      ->type_name("PREFIX")
      ->excludes(response)
      ->excludes(runs);
  app.add_option("--statistic", options.statistic,
                 "of the runs of a configuration: std, mean, variance, cv, median, q90, ... (std)")
      ->type_name("S");
  app.add_option("--where", options.where, "only rows with this value: COLUMN=VALUE or COLUMN!=VALUE")
      ->type_name("C=V,...")
      ->delimiter(',');
  add_choice(
      app, "--scale", options.scale, {"auto", "raw", "linear", "log"},
      "of numeric factors; auto: linear or, where values grow geometrically, log, by cross-validation");
  add_reading_options(app, options.input);
  app.add_option("--seed", options.seed, "of everything random; the same seed gives the same bytes (1)")
      ->type_name("S");
  app.add_option("--threads", options.threads, "threads to use; does not change the result (all cores)")
      ->type_name("N");
  add_json_flag(app, options.json);
}

void add_method_options(CLI::App& app, MapMethodOptions& options, const std::string& which) {
  app.add_option("--methods,--method", options.methods,
                 fmt::format("{}: lm, lsp (Shepard), mars, delaunay, gp (Gaussian process)", which))
      ->type_name("M,...")
      ->delimiter(',');
  add_choice(app, "--response-scale", options.response_scale, {"auto", "plain", "log"},
             "fit the response or its logarithm; auto: by cross-validation");
  app.add_flag("--interactions", options.interactions, "lm: also products of two factors")->group("Methods");
  app.add_option("--degree", options.degree, "mars: most factors in one term (3)")
      ->type_name("N")
      ->check(CLI::Range(1, 20))
      ->group("Methods");
  app.add_option("--terms", options.terms, "mars: most terms before pruning (as R's earth: 21 or 2m+1)")
      ->type_name("N")
      ->check(CLI::Range(3, 1000))
      ->group("Methods");
}

Result<MapInput> read_maps(const MapOptions& options) {
  const auto request = map_request(options, options.where);
  if (!request) return request.error();
  return read_as(options, options.input.file, *request);
}

Result<MapInput> read_rows(const MapOptions& options, const std::string& file,
                           const std::vector<std::string>& where) {
  auto request = map_request(options, where);
  if (!request) return request.error();
  request->keep_constant = true;
  return read_as(options, file, *request);
}

Result<std::vector<surface::Method>> parse_methods(const std::vector<std::string>& names) {
  std::vector<surface::Method> methods;
  for (const std::string& text : names.empty() ? surface::method_names() : names) {
    const auto method = surface::parse_method(text);
    if (!method) return method.error();
    if (std::find(methods.begin(), methods.end(), *method) == methods.end()) methods.push_back(*method);
  }
  return methods;
}

Result<surface::ModelOptions> model_options(const MapOptions& map, const MapMethodOptions& options) {
  surface::ModelOptions model;
  model.method.interactions = options.interactions;
  model.method.degree = options.degree;
  model.method.terms = options.terms;
  model.method.seed = map.seed;
  if (options.response_scale != "auto") model.log_value = options.response_scale == "log";
  return model;
}

Result<std::vector<stats::KeyPart>> parse_assignments(const std::vector<std::string>& parts) {
  std::vector<stats::KeyPart> pairs;
  for (const std::string& part : parts) {
    const std::size_t sign = part.find('=');
    if (sign == std::string::npos || sign == 0)
      return Error{Errc::usage, fmt::format("'{}' names no factor", part)}.with_remedy(
          "write --at threads=4,file_size_kb=64");
    pairs.push_back({part.substr(0, sign), part.substr(sign + 1)});
  }
  return pairs;
}

std::string assignments(const surface::MapData& map, const Eigen::VectorXd& at) {
  std::vector<std::string> parts;
  for (std::size_t f = 0; f < map.factors.size(); ++f)
    parts.push_back(
        fmt::format("{}={}", map.factors[f].name, map.factors[f].text(at[static_cast<Eigen::Index>(f)])));
  return fmt::format("{}", fmt::join(parts, ","));
}

Result<std::vector<std::vector<stats::KeyPart>>> read_keys(const MapOptions& options,
                                                           const surface::MapData& map,
                                                           const std::string& file,
                                                           const std::vector<std::string>& where) {
  std::vector<surface::Condition> conditions;
  SampleOptions reading = options.input;
  for (const stats::KeyPart& part : map.key) reading.query.group.push_back(part.column);
  for (const surface::Factor& factor : map.factors) reading.query.group.push_back(factor.name);
  reading.query.keys_only = true;
  const std::size_t own = reading.query.group.size();
  for (const std::string& text : where) {
    auto condition = surface::parse_condition(text);
    if (!condition) return condition.error();
    reading.query.group.push_back(condition->column);
    conditions.push_back(*std::move(condition));
  }
  const auto samples = read(reading, file);
  if (!samples) return samples.error();
  std::vector<std::vector<stats::KeyPart>> keys;
  std::set<std::vector<std::string>> known;  // columns of conditions tell groups of one key apart
  for (const stats::Group& group : samples->groups) {
    if (!surface::kept(group.key, conditions)) continue;
    std::vector<stats::KeyPart> key(group.key.begin(), group.key.begin() + static_cast<std::ptrdiff_t>(own));
    std::vector<std::string> values;
    for (const stats::KeyPart& part : key) values.push_back(part.value);
    if (known.insert(std::move(values)).second) keys.push_back(std::move(key));
  }
  return keys;
}

Json map_input_json(const MapInput& input, const MapOptions& options) {
  Json json = input_json(input.samples);
  json["response"] = input.maps.front().response;
  json["factors"] = options.factors;
  json["split"] = options.split;
  json["maps"] = input.maps.size();
  Json notes = Json::array();
  for (const surface::MapData& map : input.maps)
    for (const std::string& note : map.notes)
      notes.push_back(map.key.empty() ? note : fmt::format("{}: {}", map.name(), note));
  json["notes"] = std::move(notes);
  return json;
}

}  // namespace weir::cli
