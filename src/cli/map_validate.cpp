#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/interrupt.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "cli/map.hpp"
#include "surface/validation.hpp"

namespace weir::cli {
namespace {

using surface::MapData;
using surface::Method;

struct Options {
  MapOptions map;
  MapMethodOptions method;
  std::vector<double> train = {0.9, 0.5, 0.2, 0.1};
  int splits = 20;
  int folds = 0;
  std::string leave_level;
  std::string test;
  std::vector<std::string> test_where;
  int resamples = 200;
};

// A way of dividing the maps: a training share, folds, a factor's levels, or another file.
struct Plan {
  double train = std::numeric_limits<double>::quiet_NaN();
  std::string label;                                // for people
  std::vector<std::vector<surface::Split>> splits;  // by map
};

struct Outcome {
  std::vector<std::vector<surface::SplitErrors>> by_map;  // [map][split]
};

struct Validation {
  MapInput input;
  std::vector<Method> methods;
  std::vector<Plan> plans;
  std::vector<std::vector<Outcome>> outcomes;  // [plan][method]
  std::vector<surface::NoiseFloor> floors;     // by map
};

// The rows of both files as one map; the test rows follow the others.
Result<MapData> joined(const MapData& train, const MapData& test, Plan& plan) {
  MapData both = train;
  const Eigen::Index n = train.size();
  surface::Split split;
  for (Eigen::Index i = 0; i < n; ++i) split.train.push_back(i);
  both.at.conservativeResize(n + test.size(), Eigen::NoChange);
  both.value.conservativeResize(n + test.size());
  for (Eigen::Index i = 0; i < test.size(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    const auto at = surface::parse_configuration(train, surface::factors_only(train, test.labels[row]));
    if (!at) return at.error();
    both.at.row(n + i) = at->transpose();
    both.value[n + i] = test.value[i];
    both.runs.push_back(test.runs[row]);
    both.labels.push_back(test.labels[row]);
    split.test.push_back(n + i);
  }
  plan.splits.push_back({std::move(split)});
  return both;
}

Result<void> plan_test_file(Validation& validation, const Options& options) {
  auto tests = read_rows(options.map, options.test, options.test_where);
  if (!tests) return tests.error();
  Plan plan;
  plan.label = "test file";
  std::vector<MapData> paired;
  for (MapData& map : validation.input.maps) {
    const auto same = std::find_if(tests->maps.begin(), tests->maps.end(),
                                   [&](const MapData& test) { return test.key == map.key; });
    if (same == tests->maps.end()) {
      warn("{}: nothing to test the map {} with", options.test, map.name());
      continue;
    }
    auto both = joined(map, *same, plan);
    if (!both) return both.error().in(options.test);
    paired.push_back(*std::move(both));
  }
  if (paired.empty())
    return Error{Errc::bad_data, "has no configuration of any of the maps"}.in(options.test);
  validation.input.maps = std::move(paired);
  validation.plans.push_back(std::move(plan));
  return {};
}

template <class Make>
Result<void> add_plan(Validation& validation, Plan plan, const Make& make) {
  for (const MapData& map : validation.input.maps) {
    auto splits = make(map);
    if (!splits) return splits.error().in(map.name()).in(validation.input.samples.source);
    plan.splits.push_back(*std::move(splits));
  }
  validation.plans.push_back(std::move(plan));
  return {};
}

Result<void> make_plans(Validation& validation, const Options& options) {
  if (!options.test.empty()) return plan_test_file(validation, options);
  if (!options.leave_level.empty())
    return add_plan(validation, {.label = "a level left out", .splits = {}},
                    [&](const MapData& map) { return surface::level_splits(map, options.leave_level); });
  if (options.folds > 0)
    return add_plan(
        validation,
        {.train = 1 - 1.0 / options.folds, .label = fmt::format("{} folds", options.folds), .splits = {}},
        [&](const MapData& map) {
          return surface::fold_splits(map.size(), options.folds, options.map.seed);
        });
  for (const double share : options.train)
    if (auto added = add_plan(validation, {.train = share, .label = fmt::format("{}", share), .splits = {}},
                              [&](const MapData& map) {
                                return surface::random_splits(map.size(), share, options.splits,
                                                              options.map.seed);
                              });
        !added)
      return added;
  return {};
}

struct Task {
  std::size_t plan;
  std::size_t method;
  std::size_t map;
  std::size_t split;
};

Result<void> run_all(Validation& validation, const Options& options) {
  const auto model = model_options(options.map, options.method);
  if (!model) return model.error();
  std::vector<Task> tasks;
  validation.outcomes.resize(validation.plans.size());
  for (std::size_t p = 0; p < validation.plans.size(); ++p) {
    validation.outcomes[p].resize(validation.methods.size());
    for (std::size_t m = 0; m < validation.methods.size(); ++m)
      for (const auto& splits : validation.plans[p].splits) {
        auto& by_map = validation.outcomes[p][m].by_map;
        by_map.emplace_back(splits.size());
        for (std::size_t s = 0; s < splits.size(); ++s) tasks.push_back({p, m, by_map.size() - 1, s});
      }
  }
  Progress progress("validating", tasks.size());
  parallel_for(
      tasks.size(),
      [&](std::size_t i) {
        if (interrupted()) return;
        const Task& task = tasks[i];
        surface::ModelOptions own = *model;
        own.method.seed = options.map.seed + task.split;
        validation.outcomes[task.plan][task.method].by_map[task.map][task.split] = surface::test_split(
            validation.input.maps[task.map], validation.plans[task.plan].splits[task.map][task.split],
            validation.methods[task.method], own);
        progress.advance();
      },
      options.map.threads);
  return check_interrupt();
}

// Over maps, of the averages over splits.
surface::Average over_maps(const Outcome& outcome) {
  if (outcome.by_map.size() == 1) return surface::average(outcome.by_map.front());
  std::vector<surface::SplitErrors> means;
  for (const auto& splits : outcome.by_map) {
    surface::SplitErrors one;
    one.are_percent = surface::average(splits).mean;
    means.push_back(std::move(one));
  }
  return surface::average(means);
}

std::string first_failure(const Outcome& outcome) {
  for (const auto& splits : outcome.by_map)
    for (const auto& split : splits)
      if (!split.failed.empty()) return split.failed;
  return {};
}

// The scaling chosen most often.
std::string usual_scaling(const Outcome& outcome) {
  std::map<std::string, int> counts;
  for (const auto& splits : outcome.by_map)
    for (const auto& split : splits)
      if (!split.scaling.empty()) ++counts[split.scaling];
  const auto most = std::max_element(counts.begin(), counts.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? "" : most->first;
}

double mean_floor(const Validation& validation) {
  double sum = 0;
  int count = 0;
  for (const surface::NoiseFloor& floor : validation.floors)
    if (std::isfinite(floor.percent)) {
      sum += floor.percent;
      ++count;
    }
  return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

// Errors of rows that share the values of --by, over all splits: [value][method] of a plan.
struct ByRow {
  double sum = 0;
  std::size_t count = 0;
};
std::map<std::string, std::vector<ByRow>> by_label(const Validation& validation, std::size_t plan,
                                                   const std::vector<std::string>& columns) {
  std::map<std::string, std::vector<ByRow>> table;
  for (std::size_t m = 0; m < validation.methods.size(); ++m) {
    const Outcome& outcome = validation.outcomes[plan][m];
    for (std::size_t map = 0; map < outcome.by_map.size(); ++map)
      for (const auto& split : outcome.by_map[map])
        for (const surface::RowError& error : split.rows) {
          std::vector<std::string> parts;
          for (const std::string& column : columns)
            for (const stats::KeyPart& part :
                 validation.input.maps[map].labels[static_cast<std::size_t>(error.row)])
              if (part.column == column) {
                parts.push_back(part.column + "=" + part.value);
                break;
              }
          auto& row = table[fmt::format("{}", fmt::join(parts, " "))];
          row.resize(validation.methods.size());
          row[m].sum += error.percent;
          ++row[m].count;
        }
  }
  return table;
}

Json results_json(const Validation& validation, const std::vector<std::size_t>& maps) {
  Json results = Json::array();
  for (std::size_t p = 0; p < validation.plans.size(); ++p)
    for (std::size_t m = 0; m < validation.methods.size(); ++m) {
      Outcome chosen;
      for (const std::size_t map : maps) chosen.by_map.push_back(validation.outcomes[p][m].by_map[map]);
      const surface::Average mean = over_maps(chosen);
      Json row = {{"method", name(validation.methods[m])},
                  {"train", json_number(validation.plans[p].train)},
                  {"are_percent", json_number(mean.mean)},
                  {"standard_error", json_number(mean.error)},
                  {"count", mean.count},
                  {"scaling", usual_scaling(chosen)}};
      if (const std::string why = first_failure(chosen); !why.empty()) row["failed"] = why;
      results.push_back(std::move(row));
    }
  return results;
}

Json validation_json(const Validation& validation, const Options& options) {
  Json document = json_document("map.validate");
  document["input"] = map_input_json(validation.input, options.map);
  document["options"] = {{"splits", options.splits},
                         {"seed", options.map.seed},
                         {"scale", options.map.scale},
                         {"response_scale", options.method.response_scale},
                         {"degree", options.method.degree}};
  document["noise_floor_percent"] = json_number(mean_floor(validation));
  std::vector<std::size_t> all(validation.input.maps.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  document["results"] = results_json(validation, all);
  document["maps"] = Json::array();
  for (const std::size_t i : all)
    document["maps"].push_back({{"key", key_json(validation.input.maps[i].key)},
                                {"configurations", validation.input.maps[i].size()},
                                {"noise_floor_percent", json_number(validation.floors[i].percent)},
                                {"results", results_json(validation, {i})}});
  if (options.map.labels.empty()) return document;
  document["by"] = Json::array();
  for (std::size_t p = 0; p < validation.plans.size(); ++p)
    for (const auto& [label, row] : by_label(validation, p, options.map.labels))
      for (std::size_t m = 0; m < row.size(); ++m)
        document["by"].push_back(
            {{"key", label},
             {"method", name(validation.methods[m])},
             {"train", json_number(validation.plans[p].train)},
             {"are_percent",
              json_number(row[m].count > 0 ? row[m].sum / static_cast<double>(row[m].count) : NAN)},
             {"count", row[m].count}});
  return document;
}

std::string percent(double value) { return std::isfinite(value) ? fmt::format("{:.2f}", value) : "-"; }

std::vector<Table::Column> method_columns(const Validation& validation, std::vector<Table::Column> columns) {
  for (const Method method : validation.methods) columns.push_back({std::string(name(method)), Table::right});
  return columns;
}

void print_levels(const Validation& validation, const Plan& plan, std::size_t p, Output& out) {
  Table table(method_columns(validation, {{"left out"}, {"rows", Table::right}}));
  for (std::size_t map = 0; map < plan.splits.size(); ++map)
    for (std::size_t s = 0; s < plan.splits[map].size(); ++s) {
      const std::string& label = plan.splits[map][s].label;
      std::vector<std::string> cells = {
          plan.splits.size() == 1 ? label : validation.input.maps[map].name() + " " + label,
          std::to_string(plan.splits[map][s].test.size())};
      for (std::size_t m = 0; m < validation.methods.size(); ++m)
        cells.push_back(percent(validation.outcomes[p][m].by_map[map][s].are_percent));
      table.row(std::move(cells));
    }
  out.table(table);
  out.write("\n");
}

void print_by(const Validation& validation, const Options& options, Output& out) {
  for (std::size_t p = 0; p < validation.plans.size(); ++p) {
    out.print("\nBy {} ({}), ARE in %:\n", fmt::join(options.map.labels, ", "), validation.plans[p].label);
    Table table(method_columns(validation, {{"configurations", Table::shrinks}, {"tests", Table::right}}));
    for (const auto& [label, row] : by_label(validation, p, options.map.labels)) {
      std::vector<std::string> cells = {label, std::to_string(row.front().count)};
      for (const ByRow& cell : row)
        cells.push_back(percent(cell.count > 0 ? cell.sum / static_cast<double>(cell.count) : NAN));
      table.row(std::move(cells));
    }
    out.table(table);
  }
}

void print_validation(const Validation& validation, const Options& options, Output& out) {
  const MapData& first = validation.input.maps.front();
  Eigen::Index rows = 0;
  for (const MapData& map : validation.input.maps) rows += map.size();
  out.print("{}: {} configurations in {} map{}, {} factors\n", first.response, rows,
            validation.input.maps.size(), validation.input.maps.size() == 1 ? "" : "s", first.factors.size());
  out.print(
      "Average relative error in % (± its standard error), and the floor that no predictor gets below:\n\n");
  for (std::size_t p = 0; p < validation.plans.size(); ++p)
    if (!validation.plans[p].splits.front().front().label.empty())
      print_levels(validation, validation.plans[p], p, out);
  auto columns = method_columns(validation, {{"trained on"}});
  columns.push_back({"floor", Table::right});
  Table table(std::move(columns));
  for (std::size_t p = 0; p < validation.plans.size(); ++p) {
    std::vector<std::string> cells = {validation.plans[p].label};
    for (const Outcome& outcome : validation.outcomes[p]) {
      const surface::Average mean = over_maps(outcome);
      cells.push_back(std::isfinite(mean.error) ? fmt::format("{:.2f} ± {:.2f}", mean.mean, mean.error)
                                                : percent(mean.mean));
    }
    cells.push_back(percent(mean_floor(validation)));
    table.row(std::move(cells));
  }
  out.table(table);
  out.write("\n");
  for (std::size_t m = 0; m < validation.methods.size(); ++m) {
    const std::string scaling = usual_scaling(validation.outcomes.front()[m]);
    if (!scaling.empty()) out.print("{}: {}\n", name(validation.methods[m]), scaling);
    for (const auto& outcomes : validation.outcomes)
      if (const std::string why = first_failure(outcomes[m]); !why.empty()) {
        out.print("{}: not everywhere: {}\n", name(validation.methods[m]), why);
        break;
      }
  }
  if (!std::isfinite(mean_floor(validation)))
    out.print("No floor: it takes the single runs (--from-runs or --wide).\n");
  if (validation.input.maps.size() > 1 && options.map.labels.empty() && !options.map.split.empty())
    out.print("Errors by map: --by {}\n", fmt::join(options.map.split, ","));
  if (!options.map.labels.empty()) print_by(validation, options, out);
}

Result<int> run_validate(const Options& options, Output& out) {
  Validation validation;
  auto methods = parse_methods(options.method.methods);
  if (!methods) return methods.error();
  validation.methods = *std::move(methods);
  auto input = read_maps(options.map);
  if (!input) return input.error();
  validation.input = *std::move(input);
  if (auto made = make_plans(validation, options); !made) return made.error();
  for (const MapData& map : validation.input.maps)
    validation.floors.push_back(
        surface::noise_floor(map, options.resamples, options.map.seed, options.map.threads));
  if (auto done = run_all(validation, options); !done) return done.error();
  if (options.map.json)
    out.json(validation_json(validation, options));
  else
    print_validation(validation, options, out);
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_map_options(app, options->map);
  add_method_options(app, options->method, "predictors to compare (all)");
  app.add_option("--train", options->train, "shares of the configurations to train on (0.9,0.5,0.2,0.1)")
      ->type_name("P,...")
      ->delimiter(',')
      ->check(CLI::Range(0.001, 0.999));
  app.add_option("--splits", options->splits, "random divisions for each share (20)")
      ->type_name("B")
      ->check(CLI::Range(1, 100000));
  auto* folds =
      app.add_option("--folds", options->folds, "k-fold instead: every configuration is tested once")
          ->type_name("K")
          ->check(CLI::Range(2, 100000));
  auto* level = app.add_option("--leave-level", options->leave_level,
                               "instead, each value of this factor is tested with a model of the others")
                    ->type_name("FACTOR")
                    ->excludes(folds);
  auto* test = app.add_option("--test", options->test, "instead, test on the configurations of another file")
                   ->type_name("FILE")
                   ->excludes(folds)
                   ->excludes(level);
  app.add_option("--test-where", options->test_where, "which rows of that file")
      ->type_name("C=V,...")
      ->delimiter(',')
      ->needs(test);
  app.add_option("--by", options->map.labels, "also the errors for each value of these columns")
      ->type_name("C,...")
      ->delimiter(',');
  app.add_option("--resamples", options->resamples, "bootstrap resamples behind the floor (200)")
      ->type_name("N")
      ->check(CLI::Range(2, 1000000));
  return [options](Output& out) { return run_validate(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir map validate runs.csv --factors threads,file_kb,record_kb --from-runs mb_s",
            "all methods, scales found by themselves"},
    Example{
        "weir map validate map.csv --factors freq_khz/1e6,threads,file_kb --response std_kb_s --scale raw "
        "--response-scale plain",
        "as in Cameron et al. (2018), Table 2: raw units"},
    Example{"weir map validate runs.db --methods gp --leave-level file_size --json",
            "a store of weir bench; how well is a new file size predicted"},
};

}  // namespace

const Command kMapValidate = {
    .name = "validate",
    .summary = "how well each method predicts configurations it was not shown",
    .examples = kExamples,
    .define = define,
    .notes =
        "The relative error of a prediction f at a measured m is |f - m| / m. The floor is the error of an "
        "oracle that knows the true spread: the measured one, from so many runs, is itself off by that much.",
};

}  // namespace weir::cli
