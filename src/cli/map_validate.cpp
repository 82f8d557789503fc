#include "cli/map_validate.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/interrupt.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/parallel.hpp"
#include "base/progress.hpp"

namespace weir::cli {
namespace {

using surface::MapData;

// The rows of both files as one map; the test rows follow the others.
Result<MapData> joined(const MapData& train, const MapData& test, ValidationPlan& plan) {
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

Result<void> plan_test_file(Validation& validation, const ValidateOptions& options) {
  auto tests = read_rows(options.map, options.test, options.test_where);
  if (!tests) return tests.error();
  ValidationPlan plan;
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

// Maps with too few configurations for a plan have no splits in it; where all have, there is no such plan.
template <class Make>
Result<void> add_plan(Validation& validation, ValidationPlan plan, const Make& make) {
  std::size_t left_out = 0;
  std::optional<Error> why;
  for (const MapData& map : validation.input.maps) {
    auto splits = make(map);
    if (!splits) {
      const Error error = splits.error().in(map.name()).in(validation.input.samples.source);
      if (error.code() != Errc::bad_data) return error;
      if (left_out++ == 0) why = error;
    }
    plan.splits.push_back(splits ? *std::move(splits) : std::vector<surface::Split>());
  }
  if (left_out == validation.input.maps.size()) return *why;
  if (left_out > 0) warn("{}; {} of {} maps are left out there", why->text(), left_out, plan.splits.size());
  validation.plans.push_back(std::move(plan));
  return {};
}

Result<void> plan_shares(Validation& validation, const ValidateOptions& options) {
  for (const double share : options.train) {
    auto added =
        add_plan(validation, {.train = share, .label = fmt::format("{}", share), .splits = {}},
                 [&](const MapData& map) {
                   return surface::random_splits(map.size(), share, options.splits, options.map.seed);
                 });
    if (added) continue;
    if (share == options.train.back() && validation.plans.empty()) return added;
    warn("{}", added.error().text());
  }
  return {};
}

Result<void> make_plans(Validation& validation, const ValidateOptions& options) {
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
  return plan_shares(validation, options);
}

struct Task {
  std::size_t plan;
  std::size_t method;
  std::size_t map;
  std::size_t split;
};

Result<void> run_all(Validation& validation, const ValidateOptions& options) {
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

Result<int> run_validate(const ValidateOptions& options, Output& out) {
  if (options.distribution) return validate_distributions(options, out);
  Validation validation;
  auto methods = parse_methods(options.method.methods);
  if (!methods) return methods.error();
  validation.methods = *std::move(methods);
  auto input = read_maps(options.map);
  if (!input) return input.error();
  validation.input = *std::move(input);
  if (auto made = make_plans(validation, options); !made) return made.error();
  for (std::size_t i = 0; i < validation.input.maps.size(); ++i) {
    // Of a test file's rows, which alone are predicted; in all other plans every row is, sooner or later.
    const MapData& map = validation.input.maps[i];
    const auto& splits = validation.plans.front().splits[i];
    validation.floors.push_back(
        surface::noise_floor(options.test.empty() ? map : surface::take_rows(map, splits.front().test),
                             options.resamples, options.map.seed, options.map.threads));
  }
  if (auto done = run_all(validation, options); !done) return done.error();
  if (options.map.json)
    out.json(validation_json(validation, options));
  else
    print_validation(validation, options, out);
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<ValidateOptions>();
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
  app.add_flag("--distribution", options->distribution,
               "score whole distributions instead, against the nearest neighbour and one for all");
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
