#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.hpp"
#include "cli/map_question.hpp"
#include "surface/distribution.hpp"

namespace weir::cli {
namespace {

struct Options {
  MapOptions map;
  MapMethodOptions method;
  QuestionOptions questions;
  std::string rank;
  double level = 0.9;
  bool distribution = false;
};

// One matrix for each map: what a method does once for all queries is done once.
Result<std::vector<surface::Prediction>> answers(const surface::ModelFile& file,
                                                 const std::vector<Question>& asked, double level) {
  std::vector<surface::Prediction> all(asked.size());
  for (std::size_t map = 0; map < file.maps.size(); ++map) {
    const surface::SavedMap& saved = file.maps[map];
    const MapQuestions own = about(asked, map);
    if (own.places.empty()) continue;
    if (auto defined = saved.model.scaling().check(saved.data.factors, own.at); !defined)
      return defined.error();
    const auto made = surface::predict_intervals(saved.model, saved.calibration, own.at, level);
    for (std::size_t i = 0; i < made.size(); ++i) all[own.places[i]] = made[i];
  }
  return all;
}

Result<int> predict_distributions(const surface::ModelFile& file, const std::vector<Question>& asked,
                                  const Options& options, Output& out) {
  std::map<std::size_t, surface::DistributionMap> fitted;
  Json document = json_document("map-predict");
  document["source"] = file.source;
  document["level"] = options.level;
  document["seed"] = options.map.seed;
  document["distributions"] = Json::array();
  for (const Question& one : asked) {
    const surface::MapData& data = file.maps[one.map].data;
    auto known = fitted.find(one.map);
    if (known == fitted.end()) {
      auto map = surface::DistributionMap::fit(data, options.map.seed);
      if (!map) return map.error().in(file.source);
      known = fitted.emplace(one.map, *std::move(map)).first;
    }
    if (auto defined = known->second.scaling().check(data.factors, one.at.transpose()); !defined)
      return defined.error();
    const surface::QuantileFunction made = known->second.predict(one.at, options.level);
    if (options.map.json) {
      document["distributions"].push_back({{"configuration", configuration_json(data, one.at)},
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
  std::vector<const surface::MapData*> maps;
  for (const surface::SavedMap& map : file->maps) maps.push_back(&map.data);
  const auto asked = questions(maps, options.questions, options.map, options.rank);
  if (!asked) return asked.error();
  if (asked->empty())
    return Error{Errc::usage, "no configuration to predict"}.with_remedy(
        "give --at A=1,B=2 (A=1|2|4 for several), --rank FACTOR or --rows FILE");
  if (options.distribution) return predict_distributions(*file, *asked, options, out);
  const auto predictions = answers(*file, *asked, options.level);
  if (!predictions) return predictions.error();
  std::vector<std::size_t> order(asked->size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!options.rank.empty())
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return (*predictions)[a].value > (*predictions)[b].value;
    });
  const surface::SavedMap& first = file->maps.front();
  if (options.map.json) {
    Json document = json_document("map-predict");
    document["source"] = file->source;
    document["response"] = first.data.response;
    document["method"] = name(first.model.method());
    document["level"] = options.level;
    document["predictions"] = Json::array();
    for (const std::size_t i : order) {
      const surface::Prediction& one = (*predictions)[i];
      document["predictions"].push_back(
          {{"configuration", configuration_json(*maps[(*asked)[i].map], (*asked)[i].at)},
           {"value", json_number(one.value)},
           {"low", json_number(one.low)},
           {"high", json_number(one.high)},
           {"outside", one.outside}});
    }
    out.json(document);
    return 0;
  }
  out.print("{}, {}\n\n", first.data.response, name(first.model.method()));
  Table table({{"configuration", Table::shrinks},
               {"predicted", Table::right},
               {fmt::format("{:.0f} % interval", 100 * options.level)},
               {"remark"}});
  for (const std::size_t i : order) {
    const surface::Prediction& one = (*predictions)[i];
    table.row({(*asked)[i].label, number(one.value),
               fmt::format("{} to {}", number(one.low), number(one.high)),
               one.outside ? "beyond what was measured" : ""});
  }
  out.table(table);
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_map_options(app, options->map);
  add_method_options(app, options->method, "the predictor, where FILE is no model (gp)");
  add_question_options(app, options->questions);
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
