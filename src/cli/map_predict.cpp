#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.hpp"
#include "cli/map.hpp"
#include "surface/distribution.hpp"

namespace weir::cli {
namespace {

struct Options {
  MapOptions map;
  MapMethodOptions method;
  std::vector<std::string> at;
  std::string rows;
  std::vector<std::string> rows_where;
  std::string rank;
  double level = 0.9;
  bool distribution = false;
};

struct Asked {
  const surface::SavedMap* map = nullptr;
  Eigen::VectorXd at;
  std::string label;
  surface::Prediction prediction = {};
};

// The map whose split has the given values; parts that name a split are taken out.
Result<const surface::SavedMap*> choose_map(const surface::ModelFile& file,
                                            std::vector<stats::KeyPart>& parts) {
  std::vector<stats::KeyPart> key;
  std::vector<stats::KeyPart> rest;
  for (const stats::KeyPart& part : parts) {
    const auto& columns = file.maps.front().data.key;
    const bool splits = std::any_of(columns.begin(), columns.end(),
                                    [&](const stats::KeyPart& one) { return one.column == part.column; });
    (splits ? key : rest).push_back(part);
  }
  std::vector<std::string> known;
  for (const surface::SavedMap& map : file.maps) {
    const bool same = std::all_of(map.data.key.begin(), map.data.key.end(), [&](const stats::KeyPart& part) {
      return std::find(key.begin(), key.end(), part) != key.end();
    });
    if (same) {
      parts = std::move(rest);
      return &map;
    }
    known.push_back(map.data.name());
  }
  known.resize(std::min<std::size_t>(known.size(), 5));
  return Error{Errc::not_found, key.empty() ? "which of the maps is not said" : "no such map"}.with_remedy(
      fmt::format("there are {}{}", fmt::join(known, "; "), file.maps.size() > 5 ? "; ..." : ""));
}

// "threads=1|4|16,mode=fread": every combination.
std::vector<std::vector<stats::KeyPart>> combinations(const std::vector<stats::KeyPart>& parts) {
  std::vector<std::vector<stats::KeyPart>> all = {{}};
  for (const stats::KeyPart& part : parts) {
    std::vector<std::vector<stats::KeyPart>> longer;
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

Result<void> ask(const surface::ModelFile& file, std::vector<stats::KeyPart> parts,
                 std::vector<Asked>& asked) {
  const auto map = choose_map(file, parts);
  if (!map) return map.error();
  auto at = surface::parse_configuration((*map)->data, parts);
  if (!at) return at.error();
  std::string label = assignments((*map)->data, *at);
  if (!(*map)->data.key.empty()) label = (*map)->data.name() + " " + label;
  std::replace(label.begin(), label.end(), ',', ' ');
  asked.push_back({.map = *map, .at = *std::move(at), .label = std::move(label)});
  return {};
}

// A ranked factor or split is asked for at each of its measured values.
Result<std::vector<stats::KeyPart>> with_ranked(const surface::ModelFile& file,
                                                std::vector<stats::KeyPart> parts, const std::string& rank) {
  std::vector<std::string> values;
  for (const surface::SavedMap& map : file.maps) {
    for (const stats::KeyPart& part : map.data.key)
      if (part.column == rank && std::find(values.begin(), values.end(), part.value) == values.end())
        values.push_back(part.value);
    for (const surface::Factor& factor : map.data.factors)
      if (factor.name == rank && values.empty())
        for (const double value : factor.values) values.push_back(factor.text(value));
  }
  if (values.empty()) return Error{Errc::not_found, fmt::format("--rank: no factor or split '{}'", rank)};
  std::erase_if(parts, [&](const stats::KeyPart& part) { return part.column == rank; });
  parts.push_back({rank, fmt::format("{}", fmt::join(values, "|"))});
  return parts;
}

Result<std::vector<Asked>> questions(const surface::ModelFile& file, const Options& options) {
  std::vector<Asked> asked;
  auto parts = parse_assignments(options.at);
  if (!parts) return parts.error();
  if (!options.rank.empty()) {
    parts = with_ranked(file, *std::move(parts), options.rank);
    if (!parts) return parts.error();
  }
  if (!parts->empty())
    for (auto& one : combinations(*parts))
      if (auto done = ask(file, std::move(one), asked); !done) return done.error();
  if (!options.rows.empty()) {
    auto rows = read_keys(options.map, file.maps.front().data, options.rows, options.rows_where);
    if (!rows) return rows.error();
    for (auto& one : *rows)
      if (auto done = ask(file, std::move(one), asked); !done) return done.error().in(options.rows);
  }
  if (asked.empty())
    return Error{Errc::usage, "no configuration to predict"}.with_remedy(
        "give --at A=1,B=2 (A=1|2|4 for several), --rank FACTOR or --rows FILE");
  return asked;
}

Result<void> answer(std::vector<Asked>& asked, double level) {
  for (Asked& one : asked)
    one.prediction =
        surface::predict_intervals(one.map->model, one.map->calibration, one.at.transpose(), level).front();
  return {};
}

Json configuration_json(const Asked& one) {
  Json json = key_json(one.map->data.key);
  for (std::size_t f = 0; f < one.map->data.factors.size(); ++f)
    json[one.map->data.factors[f].name] = one.map->data.factors[f].text(one.at[static_cast<Eigen::Index>(f)]);
  return json;
}

Result<int> predict_distributions(const surface::ModelFile& file, const std::vector<Asked>& asked,
                                  const Options& options, Output& out) {
  std::vector<std::pair<const surface::SavedMap*, surface::DistributionMap>> fitted;
  Json document = json_document("map-predict");
  document["source"] = file.source;
  document["level"] = options.level;
  document["distributions"] = Json::array();
  for (const Asked& one : asked) {
    auto known =
        std::find_if(fitted.begin(), fitted.end(), [&](const auto& pair) { return pair.first == one.map; });
    if (known == fitted.end()) {
      auto map = surface::DistributionMap::fit(one.map->data, options.map.seed);
      if (!map) return map.error().in(file.source);
      known = fitted.insert(fitted.end(), {one.map, *std::move(map)});
    }
    const surface::QuantileFunction made = known->second.predict(one.at, options.level);
    if (options.map.json) {
      document["distributions"].push_back({{"configuration", configuration_json(one)},
                                           {"probability", made.probability},
                                           {"quantile", made.quantile},
                                           {"low", made.low},
                                           {"high", made.high}});
      continue;
    }
    out.print("{}\n", one.label);
    Table table({{"P(X <= x)", Table::right},
                 {"x", Table::right},
                 {fmt::format("{:.0f} % band", 100 * options.level)}});
    for (std::size_t k = 4; k < made.probability.size(); k += 10)
      table.row({fmt::format("{:.3f}", made.probability[k]), number(made.quantile[k]),
                 fmt::format("{} to {}", number(made.low[k]), number(made.high[k]))});
    out.table(table);
  }
  if (options.map.json) out.json(document);
  return 0;
}

Result<int> run_predict(const Options& options, Output& out) {
  const std::string& path = options.map.input.file;
  auto file = surface::is_model(path) ? surface::load_model(path)
                                      : read_maps(options.map).and_then([&](MapInput input) {
                                          return fit_maps(std::move(input), options.map, options.method);
                                        });
  if (!file) return file.error();
  auto asked = questions(*file, options);
  if (!asked) return asked.error();
  if (options.distribution) return predict_distributions(*file, *asked, options, out);
  if (auto done = answer(*asked, options.level); !done) return done.error();
  if (!options.rank.empty())
    std::stable_sort(asked->begin(), asked->end(),
                     [](const Asked& a, const Asked& b) { return a.prediction.value > b.prediction.value; });
  const surface::SavedMap& first = file->maps.front();
  if (options.map.json) {
    Json document = json_document("map-predict");
    document["source"] = file->source;
    document["response"] = first.data.response;
    document["method"] = name(first.model.method());
    document["level"] = options.level;
    document["predictions"] = Json::array();
    for (const Asked& one : *asked)
      document["predictions"].push_back({{"configuration", configuration_json(one)},
                                         {"value", json_number(one.prediction.value)},
                                         {"low", json_number(one.prediction.low)},
                                         {"high", json_number(one.prediction.high)},
                                         {"outside", one.prediction.outside}});
    out.json(document);
    return 0;
  }
  out.print("{}, {}\n\n", first.data.response, name(first.model.method()));
  Table table({{"configuration", Table::shrinks},
               {"predicted", Table::right},
               {fmt::format("{:.0f} % interval", 100 * options.level)},
               {"remark"}});
  for (const Asked& one : *asked)
    table.row({one.label, number(one.prediction.value),
               fmt::format("{} to {}", number(one.prediction.low), number(one.prediction.high)),
               one.prediction.outside ? "beyond what was measured" : ""});
  out.table(table);
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_map_options(app, options->map);
  add_method_options(app, options->method, "the predictor, where FILE is no model (gp)");
  app.add_option("--at", options->at, "a configuration: A=1,B=2; A=1|2|4 for several")
      ->type_name("A=V,...")
      ->delimiter(',');
  app.add_option("--rows", options->rows, "predict the configurations of this file")->type_name("FILE");
  app.add_option("--rows-where", options->rows_where, "which rows of that file")
      ->type_name("C=V,...")
      ->delimiter(',');
  app.add_option("--rank", options->rank, "order this factor's or split's values by what is predicted")
      ->type_name("FACTOR");
  app.add_option("--level", options->level,
                 "probability that a new measurement falls into the interval (0.9)")
      ->type_name("P")
      ->check(CLI::Range(0.01, 0.999));
  app.add_flag("--distribution", options->distribution, "the whole distribution of runs, with a band");
  return [options](Output& out) { return run_predict(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir map predict spread.map --at threads=48,file_kb=512,record_kb=64",
            "one configuration, with an interval"},
    Example{"weir map predict modes.map --at threads=64,file_kb=512 --rank mode",
            "which mode is the least steady"},
    Example{
        "weir map predict runs.csv --factors threads,file_kb --from-runs mb_s --at threads=48,file_kb=512 "
        "--distribution",
        "from the data, the whole distribution"},
};

}  // namespace

const Command kMapPredict = {
    .name = "predict",
    .summary = "what a configuration's spread, or its whole distribution, will be",
    .examples = kExamples,
    .define = define,
    .notes =
        "FILE is a model of weir map fit, or data as for weir map fit. The interval is for a measurement "
        "with as many "
        "runs as the others had: it holds the map's uncertainty and the sampling error.",
};

}  // namespace weir::cli
