#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.hpp"
#include "cli/map_question.hpp"
#include "surface/convergence_prediction.hpp"

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
  QuestionOptions questions;
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

// Numbers of runs to 75 % and to 90 %; 0 where there is none.
struct Needed {
  int n75 = 0;
  int n90 = 0;
};

Needed needed(const std::vector<double>& widths, int first) {
  return {surface::runs_to_reach(widths, first, 0.75), surface::runs_to_reach(widths, first, 0.9)};
}

struct Row {
  std::string label;
  Needed measured;
  bool held_out = false;
  Needed predicted;
  double stored = NAN;
};

// All there is to say about a map.
struct Answer {
  surface::MapConvergence measured;
  surface::HeldOutConvergence held_out;
  std::vector<Row> rows;
  std::vector<std::pair<const Question*, Needed>> asked;  // of --at and --rows
};

std::vector<Row> rows_of(const surface::MapData& map, const Answer& answer, const Options& options,
                         const std::map<std::string, double>& stored) {
  std::vector<Row> rows;
  const int first = options.converge.first;
  for (std::size_t i = 0; i < answer.measured.rows.size(); ++i) {
    Row row;
    row.label = map.configuration(answer.measured.rows[i]);
    row.measured = needed(answer.measured.measured[i].width, first);
    if (const auto known = stored.find(map.name() + " " + row.label); known != stored.end())
      row.stored = known->second;
    rows.push_back(std::move(row));
  }
  for (std::size_t i = 0; i < answer.held_out.places.size(); ++i) {
    Row& row = rows[answer.held_out.places[i]];
    row.held_out = true;
    row.predicted = needed(answer.held_out.widths[i], first);
  }
  return rows;
}

double mean_of(const std::vector<Row>& rows, Needed Row::*which, int Needed::*field) {
  double sum = 0;
  int count = 0;
  for (const Row& row : rows) {
    if (row.*which.*field == 0) continue;
    sum += row.*which.*field;
    ++count;
  }
  return count > 0 ? sum / count : NAN;
}

Json runs_json(int runs) { return runs > 0 ? Json(runs) : Json(nullptr); }

Json needed_json(const Needed& needed, const Options& options) {
  Json json = {{"n75", runs_json(needed.n75)}, {"n90", runs_json(needed.n90)}};
  if (options.seconds_per_run > 0) {
    const auto seconds = [&](int runs) {
      return runs > 0 ? Json(runs * options.seconds_per_run) : Json(nullptr);
    };
    json["n75_s"] = seconds(needed.n75);
    json["n90_s"] = seconds(needed.n90);
  }
  return json;
}

Json map_json(const surface::MapData& map, const Answer& answer, const Options& options) {
  const std::vector<Row>& rows = answer.rows;
  Json configurations = Json::array();
  for (const Row& row : rows) {
    Json json = {{"configuration", row.label}};
    json.update(needed_json(row.measured, options));
    if (row.held_out) {
      json["predicted_n75"] = runs_json(row.predicted.n75);
      json["predicted_n90"] = runs_json(row.predicted.n90);
    }
    if (std::isfinite(row.stored)) json["stored"] = row.stored;
    configurations.push_back(std::move(json));
  }
  Json made = {{"key", key_json(map.key)},
               {"mean_n75", json_number(mean_of(rows, &Row::measured, &Needed::n75))},
               {"mean_n90", json_number(mean_of(rows, &Row::measured, &Needed::n90))},
               {"held_out", answer.held_out.places.size()},
               {"mean_predicted_n75", json_number(mean_of(rows, &Row::predicted, &Needed::n75))},
               {"mean_predicted_n90", json_number(mean_of(rows, &Row::predicted, &Needed::n90))}};
  for (const char* part : {"width", "low", "high"})
    for (const char* kind : {"error", "floor"})
      made[fmt::format("{}_{}_percent", part, kind)] = Json::object();
  for (const surface::ConvergenceScore& score : answer.held_out.scores) {
    const std::string at = std::to_string(score.runs);
    made["width_error_percent"][at] = json_number(score.predicted.width);
    made["width_floor_percent"][at] = json_number(score.floor.width);
    made["low_error_percent"][at] = json_number(score.predicted.low);
    made["low_floor_percent"][at] = json_number(score.floor.low);
    made["high_error_percent"][at] = json_number(score.predicted.high);
    made["high_floor_percent"][at] = json_number(score.floor.high);
  }
  made["notes"] = answer.measured.notes;
  made["predictions"] = Json::array();
  for (const auto& [question, runs] : answer.asked) {
    Json json = {{"configuration", configuration_json(map, question->at)}};
    json.update(needed_json(runs, options));
    made["predictions"].push_back(std::move(json));
  }
  made["configurations"] = std::move(configurations);
  return made;
}

std::string runs_text(int runs) { return runs > 0 ? std::to_string(runs) : "-"; }

void print_scores(const surface::HeldOutConvergence& held_out, Output& out) {
  if (held_out.scores.empty()) return;
  out.print(
      "Mean relative error of their intervals in % (and that of an oracle that knows the distribution):\n");
  Table table({{"runs", Table::right},
               {"width", Table::right},
               {"lower bound", Table::right},
               {"upper bound", Table::right}});
  const auto cell = [](double error, double floor) { return fmt::format("{:.2f} ({:.2f})", error, floor); };
  for (const surface::ConvergenceScore& score : held_out.scores)
    table.row({std::to_string(score.runs), cell(score.predicted.width, score.floor.width),
               cell(score.predicted.low, score.floor.low), cell(score.predicted.high, score.floor.high)});
  out.table(table);
}

void print_asked(const Answer& answer, const Options& options, Output& out) {
  if (answer.asked.empty()) return;
  std::vector<Table::Column> columns = {
      {"predicted", Table::shrinks}, {"n75", Table::right}, {"n90", Table::right}};
  if (options.seconds_per_run > 0) {
    columns.push_back({"s to 75 %", Table::right});
    columns.push_back({"s to 90 %", Table::right});
  }
  Table table(columns);
  for (const auto& [question, runs] : answer.asked) {
    std::vector<std::string> cells = {question->label, runs_text(runs.n75), runs_text(runs.n90)};
    if (options.seconds_per_run > 0)
      for (const int n : {runs.n75, runs.n90})
        cells.push_back(n > 0 ? fmt::format("{:.0f}", n * options.seconds_per_run) : "-");
    table.row(std::move(cells));
  }
  out.table(table);
  out.write("\n");
}

void print_map(const surface::MapData& map, const Answer& answer, const Options& options, Output& out) {
  const surface::ConvergenceOptions& range = options.converge;
  const std::vector<Row>& rows = answer.rows;
  out.print("{}{}: {:.0f} % bootstrap interval from {} to {} runs, {} configurations\n",
            map.key.empty() ? "" : map.name() + ": ", map.response, 100 * range.level, range.first,
            range.last, rows.size());
  const double n75 = mean_of(rows, &Row::measured, &Needed::n75);
  const double n90 = mean_of(rows, &Row::measured, &Needed::n90);
  out.print("75 % of the way: {:.1f} runs on average; 90 %: {:.1f}\n", n75, n90);
  if (!answer.held_out.places.empty())
    out.print("Predicted for {} configurations that were held out: {:.1f} and {:.1f}\n",
              answer.held_out.places.size(), mean_of(rows, &Row::predicted, &Needed::n75),
              mean_of(rows, &Row::predicted, &Needed::n90));
  print_scores(answer.held_out, out);
  if (options.seconds_per_run > 0)
    out.print("Time: {:.0f} s to 75 %, {:.0f} s more to 90 %, per configuration\n",
              n75 * options.seconds_per_run, (n90 - n75) * options.seconds_per_run);
  for (const std::string& note : answer.measured.notes) out.print("Note: {}\n", note);
  out.write("\n");
  print_asked(answer, options, out);
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
      std::vector<std::string> cells = {row.label, runs_text(row.measured.n75), runs_text(row.measured.n90),
                                        held ? runs_text(row.predicted.n75) : "",
                                        held ? runs_text(row.predicted.n90) : ""};
      if (stored) cells.push_back(number(row.stored));
      table.row(std::move(cells));
    }
  out.table(table);
  if (rows.size() > shown) out.print("... {} more; --json lists all\n", rows.size() - shown);
}

struct Prediction {
  surface::Method method;
  surface::ModelOptions model;
};

Result<Answer> answer_for(const surface::MapData& map, const Options& options, const Prediction& by,
                          const std::vector<Question>& asked, std::size_t place) {
  Answer answer;
  auto found = surface::converge(map, options.converge);
  if (!found) return found.error();
  answer.measured = *std::move(found);
  if (options.train < 1) {
    auto held = surface::predict_held_out(answer.measured, map, options.train, by.method, by.model,
                                          options.errors_at, options.converge);
    if (!held) return held.error();
    answer.held_out = *std::move(held);
  }
  const MapQuestions own = about(asked, place);
  if (own.places.empty()) return answer;
  const auto widths =
      surface::predict_widths(answer.measured, map, own.at, by.method, by.model, options.converge);
  if (!widths) return widths.error();
  for (std::size_t i = 0; i < own.places.size(); ++i)
    answer.asked.emplace_back(&asked[own.places[i]], needed((*widths)[i], options.converge.first));
  return answer;
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
  document["seed"] = options.map.seed;
  document["maps"] = Json::array();
  bool first = true;
  std::vector<const surface::MapData*> maps;
  for (const surface::MapData& map : input->maps) maps.push_back(&map);
  const auto asked = questions(maps, options.questions, options.map);
  if (!asked) return asked.error();
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const surface::MapData& map = *maps[i];
    auto answer = answer_for(map, options, {methods->front(), *model}, *asked, i);
    if (!answer) return answer.error().in(map.name()).in(input->samples.source);
    answer->rows = rows_of(map, *answer, options, *stored);
    document["maps"].push_back(map_json(map, *answer, options));
    if (options.map.json) continue;
    if (!first) out.write("\n");
    first = false;
    print_map(map, *answer, options, out);
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
                 "numbers of runs at which predicted intervals are scored (24,31)")
      ->type_name("N,...")
      ->delimiter(',');
  add_question_options(app, options->questions);
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
    Example{
        "weir map converge runs.csv --factors threads,file_kb --from-runs mb_s --at threads=48,file_kb=512",
        "of a configuration that was not measured"},
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
        "has come. Where w falls as 1/sqrt(n), c reaches 75 % at 26 runs and 90 % at 33. The source's 3 to 4 "
        "% are "
        "errors of the interval's bounds; a width is a difference of two and known far less well.",
};

}  // namespace weir::cli
