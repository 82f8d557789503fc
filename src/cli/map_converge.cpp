#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.hpp"
#include "cli/map.hpp"
#include "surface/convergence.hpp"

namespace weir::cli {
namespace {

constexpr std::size_t kShown = 12;

struct Options {
  MapOptions map;
  MapMethodOptions method;
  surface::ConvergenceOptions converge;
  std::vector<int> runs = {10, 40};
  std::vector<int> errors_at = {24, 31};
  double train = 0.9;
  double seconds_per_run = 0;
  std::string stored;
  std::string stored_column;
};

// What another file says about the same configurations, by their labels.
Result<std::map<std::string, double>> read_stored(const Options& options) {
  std::map<std::string, double> found;
  if (options.stored.empty()) return found;
  MapOptions other = options.map;
  other.response = options.stored_column;
  other.from_runs.clear();
  other.wide.clear();
  const auto rows = read_rows(other, options.stored, {});
  if (!rows) return rows.error();
  for (const surface::MapData& map : rows->maps)
    for (Eigen::Index i = 0; i < map.size(); ++i)
      found[map.name() + " " + map.configuration(i)] = map.value[i];
  return found;
}

struct Row {
  std::string label;
  int n75 = 0;
  int n90 = 0;
  bool held_out = false;
  int predicted75 = 0;
  int predicted90 = 0;
  double stored = NAN;
};

std::vector<Row> rows_of(const surface::MapData& map, const surface::MapConvergence& found,
                         const Options& options, const std::map<std::string, double>& stored) {
  std::vector<Row> rows;
  const int first = options.converge.first;
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    Row row;
    row.label = map.configuration(found.rows[i]);
    row.n75 = surface::runs_to_reach(found.measured[i], first, 0.75);
    row.n90 = surface::runs_to_reach(found.measured[i], first, 0.9);
    const auto held = std::find(found.held_out.begin(), found.held_out.end(), i);
    if (held != found.held_out.end()) {
      const auto& predicted = found.predicted[static_cast<std::size_t>(held - found.held_out.begin())];
      row.held_out = true;
      row.predicted75 = surface::runs_to_reach(predicted, first, 0.75);
      row.predicted90 = surface::runs_to_reach(predicted, first, 0.9);
    }
    if (const auto known = stored.find(map.name() + " " + row.label); known != stored.end())
      row.stored = known->second;
    rows.push_back(std::move(row));
  }
  return rows;
}

double mean_of(const std::vector<Row>& rows, int Row::*field, bool held_out_only) {
  double sum = 0;
  int count = 0;
  for (const Row& row : rows) {
    if ((held_out_only && !row.held_out) || row.*field == 0) continue;
    sum += row.*field;
    ++count;
  }
  return count > 0 ? sum / count : NAN;
}

Json runs_json(int runs) { return runs > 0 ? Json(runs) : Json(nullptr); }

Json map_json(const surface::MapData& map, const surface::MapConvergence& found, const std::vector<Row>& rows,
              const Options& options) {
  Json configurations = Json::array();
  for (const Row& row : rows) {
    Json json = {{"configuration", row.label}, {"n75", runs_json(row.n75)}, {"n90", runs_json(row.n90)}};
    if (row.held_out) {
      json["predicted_n75"] = runs_json(row.predicted75);
      json["predicted_n90"] = runs_json(row.predicted90);
    }
    if (std::isfinite(row.stored)) json["stored"] = row.stored;
    if (options.seconds_per_run > 0) {
      json["n75_s"] = row.n75 * options.seconds_per_run;
      json["n90_s"] = row.n90 * options.seconds_per_run;
    }
    configurations.push_back(std::move(json));
  }
  Json errors = Json::object();
  for (const int n : options.errors_at)
    errors[std::to_string(n)] = json_number(found.width_error_percent(options.converge.first, n));
  return {{"key", key_json(map.key)},
          {"mean_n75", json_number(mean_of(rows, &Row::n75, false))},
          {"mean_n90", json_number(mean_of(rows, &Row::n90, false))},
          {"held_out", found.held_out.size()},
          {"mean_predicted_n75", json_number(mean_of(rows, &Row::predicted75, true))},
          {"mean_predicted_n90", json_number(mean_of(rows, &Row::predicted90, true))},
          {"width_error_percent", std::move(errors)},
          {"configurations", std::move(configurations)}};
}

std::string runs_text(int runs) { return runs > 0 ? std::to_string(runs) : "-"; }

void print_map(const surface::MapData& map, const surface::MapConvergence& found,
               const std::vector<Row>& rows, const Options& options, Output& out) {
  const surface::ConvergenceOptions& range = options.converge;
  out.print("{}{}: {:.0f} % bootstrap interval from {} to {} runs, {} configurations\n",
            map.key.empty() ? "" : map.name() + ": ", map.response, 100 * range.level, range.first,
            range.last, rows.size());
  out.print("75 % of the way: {:.1f} runs on average; 90 %: {:.1f}\n", mean_of(rows, &Row::n75, false),
            mean_of(rows, &Row::n90, false));
  if (!found.held_out.empty()) {
    out.print("Predicted for {} configurations that were held out: {:.1f} and {:.1f}\n",
              found.held_out.size(), mean_of(rows, &Row::predicted75, true),
              mean_of(rows, &Row::predicted90, true));
    for (const int n : options.errors_at)
      out.print("  width at {} runs: mean relative error {:.2f} %\n", n,
                found.width_error_percent(range.first, n));
  }
  if (options.seconds_per_run > 0)
    out.print("Time: {:.0f} s to 75 %, {:.0f} s more to 90 %, per configuration\n",
              mean_of(rows, &Row::n75, false) * options.seconds_per_run,
              (mean_of(rows, &Row::n90, false) - mean_of(rows, &Row::n75, false)) * options.seconds_per_run);
  out.write("\n");
  const bool stored =
      std::any_of(rows.begin(), rows.end(), [](const Row& row) { return std::isfinite(row.stored); });
  std::vector<Table::Column> columns = {{"configuration", Table::shrinks},
                                        {"n75", Table::right},
                                        {"n90", Table::right},
                                        {"predicted n75", Table::right},
                                        {"predicted n90", Table::right}};
  if (stored) columns.push_back({"stored", Table::right});
  Table table(columns);
  std::size_t shown = 0;
  // Held-out ones first: those are what a reader wants to compare.
  for (const bool held : {true, false})
    for (const Row& row : rows) {
      if (row.held_out != held || shown == kShown) continue;
      ++shown;
      std::vector<std::string> cells = {row.label, runs_text(row.n75), runs_text(row.n90),
                                        held ? runs_text(row.predicted75) : "",
                                        held ? runs_text(row.predicted90) : ""};
      if (stored) cells.push_back(number(row.stored));
      table.row(std::move(cells));
    }
  out.table(table);
  if (rows.size() > shown) out.print("... {} more; --json lists all\n", rows.size() - shown);
}

Result<int> run_converge(Options options, Output& out) {
  if (options.runs.size() != 2 || options.runs[0] < 3 || options.runs[1] <= options.runs[0] + 1)
    return Error{Errc::usage, "--range takes two numbers of runs, the first 3 or more"}.with_remedy(
        "--range 10,40");
  options.converge.first = options.runs[0];
  options.converge.last = options.runs[1];
  options.converge.seed = options.map.seed;
  options.converge.threads = options.map.threads;
  std::erase_if(options.errors_at, [&](int n) { return n < options.runs[0] || n > options.runs[1]; });
  const auto input = read_maps(options.map);
  if (!input) return input.error();
  const auto stored = read_stored(options);
  if (!stored) return stored.error();
  const auto methods =
      parse_methods(options.method.methods.empty() ? std::vector<std::string>{"gp"} : options.method.methods);
  if (!methods) return methods.error();
  const auto model = model_options(options.map, options.method);
  if (!model) return model.error();
  Json document = json_document("map-converge");
  document["input"] = map_input_json(*input, options.map);
  document["range_runs"] = options.runs;
  document["level"] = options.converge.level;
  document["method"] = name(methods->front());
  document["maps"] = Json::array();
  bool first = true;
  for (const surface::MapData& map : input->maps) {
    auto found = surface::converge(map, options.converge);
    if (!found) return found.error().in(map.name()).in(input->samples.source);
    if (options.train < 1)
      if (auto done = surface::predict_convergence(*found, map, options.train, methods->front(), *model,
                                                   options.converge);
          !done)
        return done.error().in(map.name());
    const auto rows = rows_of(map, *found, options, *stored);
    document["maps"].push_back(map_json(map, *found, rows, options));
    if (options.map.json) continue;
    if (!first) out.write("\n");
    first = false;
    print_map(map, *found, rows, options, out);
  }
  if (options.map.json) out.json(document);
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_map_options(app, options->map);
  add_method_options(app, options->method, "predictor of the widths (gp)");
  app.add_option("--range", options->runs, "fewest and most runs (10,40)")->type_name("N,M")->delimiter(',');
  app.add_option("--interval", options->converge.level, "of the bootstrap interval (0.9)")
      ->type_name("P")
      ->check(CLI::Range(0.1, 0.999));
  app.add_option("--train", options->train,
                 "share of configurations to predict the others from; 1: predict none (0.9)")
      ->type_name("P")
      ->check(CLI::Range(0.01, 1.0));
  app.add_option("--errors-at", options->errors_at,
                 "numbers of runs at which predicted widths are scored (24,31)")
      ->type_name("N,...")
      ->delimiter(',');
  app.add_option("--resamples", options->converge.resamples, "bootstrap resamples of a configuration (1000)")
      ->type_name("N")
      ->check(CLI::Range(20, 1000000));
  app.add_option("--seconds-per-run", options->seconds_per_run, "to tell what the runs cost")->type_name("S");
  auto* stored = app.add_option("--stored", options->stored, "a file with a number of runs to show beside")
                     ->type_name("FILE");
  app.add_option("--stored-column", options->stored_column, "its column")->type_name("C")->needs(stored);
  return [options](Output& out) { return run_converge(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir map converge runs.csv --factors threads,file_kb,record_kb --from-runs mb_s "
            "--seconds-per-run 10",
            "how many runs make the standard deviation's interval nearly as narrow as 40 do"},
    Example{"weir map converge runs.csv --factors threads,file_kb --from-runs mb_s --range 5,100 --method "
            "delaunay",
            "another range, predicted as in Cameron et al. (2018)"},
};

}  // namespace

const Command kMapConverge = {
    .name = "converge",
    .summary = "how many runs a configuration needs, measured and predicted",
    .examples = kExamples,
    .define = define,
    .notes =
        "w(n) is the width of the bootstrap interval of n runs; c(n) = (w(10) - w(n)) / (w(10) - w(40)) is "
        "how far it "
        "has come. Where w falls as 1/sqrt(n), c reaches 75 % at 26 runs and 90 % at 33.",
};

}  // namespace weir::cli
