#include <array>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/interrupt.hpp"
#include "base/json.hpp"
#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "base/version.hpp"
#include "cli/map.hpp"

namespace weir::cli {

namespace {

Result<surface::SavedMap> fit_map(surface::MapData data, surface::Method method,
                                  const surface::ModelOptions& options, std::uint64_t seed,
                                  unsigned threads) {
  auto model = surface::Model::fit(data, method, options);
  if (!model) return model.error().in(data.name());
  surface::Calibration calibration;
  // A Gaussian process brings its own variance.
  if (method != surface::Method::gaussian) {
    auto found = surface::calibrate(data, method, options, seed, threads);
    if (!found) return found.error().in(data.name());
    calibration = *std::move(found);
  }
  return surface::SavedMap{std::move(data), *std::move(model), std::move(calibration)};
}

}  // namespace

Result<surface::ModelFile> fit_maps(MapInput input, const MapOptions& map, const MapMethodOptions& method) {
  const auto methods =
      parse_methods(method.methods.empty() ? std::vector<std::string>{"gp"} : method.methods);
  if (!methods) return methods.error();
  if (methods->size() != 1)
    return Error{Errc::usage, "a model has one method"}.with_remedy("weir map validate compares several");
  const auto options = model_options(map, method);
  if (!options) return options.error();
  surface::ModelFile file;
  file.source = input.samples.source;
  file.program = build_facts().version;
  const std::size_t count = input.maps.size();
  std::vector<std::optional<Result<surface::SavedMap>>> fitted(count);
  Progress progress("fitting", count);
  parallel_for(
      count,
      [&](std::size_t i) {
        if (interrupted()) return;
        // Cores go to the maps, or to the folds of the only one.
        fitted[i] = fit_map(std::move(input.maps[i]), methods->front(), *options, map.seed,
                            count > 1 ? 1 : map.threads);
        progress.advance();
      },
      map.threads);
  if (auto on = check_interrupt(); !on) return on.error();
  for (auto& one : fitted) {
    if (!*one) return one->error().in(input.samples.source);
    file.maps.push_back(**std::move(one));
  }
  return file;
}

namespace {

struct Options {
  MapOptions map;
  MapMethodOptions method;
  std::string out;
};

Result<int> run_fit(const Options& options, Output& out) {
  auto input = read_maps(options.map);
  if (!input) return input.error();
  const Json input_part = map_input_json(*input, options.map);
  const auto file = fit_maps(*std::move(input), options.map, options.method);
  if (!file) return file.error();
  if (auto saved = surface::save_model(options.out, *file); !saved) return saved.error();
  Json document = json_document("map-fit");
  document["input"] = input_part;
  document["model"] = options.out;
  document["seed"] = options.map.seed;
  document["maps"] = Json::array();
  for (const surface::SavedMap& map : file->maps)
    document["maps"].push_back({{"key", key_json(map.data.key)},
                                {"configurations", map.data.size()},
                                {"method", name(map.model.method())},
                                {"scaling", map.model.scaling().text()}});
  if (options.map.json) {
    out.json(document);
    return 0;
  }
  for (const surface::SavedMap& map : file->maps)
    out.print("{}{}: {} on {} configurations ({})\n", map.data.key.empty() ? "" : map.data.name() + ": ",
              map.data.response, name(map.model.method()), map.data.size(), map.model.scaling().text());
  out.print("Model: {}\nTry: weir map predict {} --at {}\n", options.out, options.out,
            assignments(file->maps.front().data, file->maps.front().data.at.row(0).transpose()));
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_map_options(app, options->map);
  add_method_options(app, options->method, "the predictor (gp)");
  app.add_option("--out", options->out, "file for the model")->type_name("MODEL")->required();
  return [options](Output& out) { return run_fit(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir map fit runs.csv --factors threads,file_kb,record_kb --from-runs mb_s --out spread.map",
            "a Gaussian process of the standard deviation"},
    Example{"weir map fit runs.csv --factors threads,file_kb --split mode --from-runs mb_s --statistic q90 "
            "--method delaunay --out q90.map",
            "a map of the 90 % quantile for each mode"},
};

}  // namespace

const Command kMapFit = {
    .name = "fit",
    .summary = "fit a map and keep it in a file",
    .examples = kExamples,
    .define = define,
    .notes =
        "The file holds the measured responses, the chosen scales and the fitted settings; the same input "
        "and seed "
        "give the same bytes.",
};

}  // namespace weir::cli
