#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/interrupt.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "cli/commands.hpp"
#include "cli/sample_options.hpp"
#include "stats/sample_size.hpp"
#include "stats/selection.hpp"

namespace weir::cli {
namespace {

struct Options {
  SampleOptions input;
  std::string family;
  int components = 0;
  int max_components = stats::SelectionOptions().max_components;
  stats::PlanOptions plan;
  std::uint64_t seed = 1;
  unsigned threads = 0;
  bool json = false;
};

struct PlannedGroup {
  stats::Group group;
  std::optional<stats::Mixture> model;
  std::optional<stats::Plan> plan;
  std::string skipped;
};

// The model the user named, or the best by BIC.
Result<stats::Mixture> choose_model(const stats::Group& group, const Options& options, unsigned threads) {
  stats::SelectionOptions selection;
  selection.em.seed = options.seed;
  selection.threads = threads;
  if (!options.family.empty()) {
    const auto family = stats::parse_family(options.family);
    if (!family) return family.error();
    selection.families = {*family};
    if (options.components > 0) {
      auto fit = stats::fit_mixture(group.values, *family, options.components, selection.em);
      if (!fit) return fit.error();
      return std::move(fit->mixture);
    }
  }
  selection.max_components = options.components > 0 ? options.components : options.max_components;
  auto selected = stats::select_model(group.values, selection);
  if (!selected) return selected.error();
  for (stats::Model& model : selected->models)
    if (options.components == 0 || std::cmp_equal(model.fit.mixture.components.size(), options.components))
      return std::move(model.fit.mixture);
  return Error{Errc::bad_data,
               fmt::format("no model with {} components could be fitted", options.components)};
}

void plan_group(PlannedGroup& planned, const Options& options, unsigned threads) {
  auto model = choose_model(planned.group, options, threads);
  if (!model) {
    planned.skipped = model.error().text();
    return;
  }
  auto plan = stats::plan_runs(planned.group.values, *model, options.plan);
  if (!plan) {
    planned.skipped = plan.error().text();
    return;
  }
  planned.model = std::move(*model);
  planned.plan = std::move(*plan);
}

std::string quantile_name(double q) { return fmt::format("{}", q); }

Json runs_json(std::size_t runs) { return runs == stats::kNoRuns ? Json(nullptr) : Json(runs); }

Json table_json(const stats::Plan& plan) {
  Json table = Json::array();
  for (const stats::Plan::Row& row : plan.table) {
    Json gamma = Json::object();
    for (std::size_t i = 0; i < row.gamma.size(); ++i)
      gamma[quantile_name(plan.quantiles[i].q)] = json_number(row.gamma[i]);
    table.push_back({{"n", row.n}, {"gamma", std::move(gamma)}});
  }
  return table;
}

Json plan_json(const PlannedGroup& planned) {
  Json json = {{"key", key_json(planned.group.key)}, {"n", planned.group.values.size()}};
  if (!planned.plan) {
    json["skipped"] = planned.skipped;
    return json;
  }
  const stats::Plan& plan = *planned.plan;
  json["model"] = {{"family", stats::name(planned.model->family)},
                   {"components", planned.model->components.size()}};
  json["runs"] = runs_json(plan.runs);
  json["independent_runs"] = runs_json(plan.independent_runs);
  json["table"] = table_json(plan);
  json["quantiles"] = Json::array();
  for (const stats::QuantilePlan& q : plan.quantiles)
    json["quantiles"].push_back({{"q", q.q},
                                 {"quantile", json_number(q.quantile)},
                                 {"gamma_now", json_number(q.gamma_now)},
                                 {"model_low", json_number(q.model_low)},
                                 {"model_high", json_number(q.model_high)},
                                 {"runs", runs_json(q.needed)},
                                 {"sample_quantile", json_number(q.sample.estimate)},
                                 {"sample_low", json_number(q.sample.low)},
                                 {"sample_high", json_number(q.sample.high)},
                                 {"runs_without_model", runs_json(q.needed_without_model)},
                                 {"model_agrees", q.agrees}});
  json["median"] = {{"estimate", json_number(plan.median.estimate)},
                    {"low", json_number(plan.median.low)},
                    {"high", json_number(plan.median.high)}};
  json["dependence"] = {{"lag_1", json_number(plan.dependence.lag_one)},
                        {"p_value", json_number(plan.dependence.p_value)},
                        {"dependent", plan.dependence.dependent},
                        {"order_lost", plan.dependence.order_lost},
                        {"inflation", json_number(plan.inflation)},
                        {"long_run_inflation", json_number(plan.dependence.inflation)},
                        {"effective_n", json_number(plan.effective_n)}};
  json["centre"] = plan.centre;
  json["model_trusted"] = plan.model_trusted;
  json["notes"] = plan.notes;
  return json;
}

std::string runs_text(std::size_t runs) { return runs == stats::kNoRuns ? "no number" : format_count(runs); }

void print_plan(const PlannedGroup& planned, const Options& options, bool named, Output& out) {
  if (named) out.print("{}\n", stats::label(planned.group));
  if (!planned.plan) {
    out.print("skipped: {}\n", planned.skipped);
    return;
  }
  const stats::Plan& plan = *planned.plan;
  const std::size_t k = planned.model->components.size();
  out.print("{} runs, model {} {} component{}: {} runs keep |Γ| at or below {} for all quantiles{}\n\n",
            plan.n, k, stats::name(planned.model->family), k == 1 ? "" : "s", runs_text(plan.runs),
            options.plan.target,
            plan.dependence.dependent
                ? fmt::format(" ({} if they were independent)", runs_text(plan.independent_runs))
                : "");
  Table quantiles({{"quantile", Table::right},
                   {"model", Table::right},
                   {"95 % interval"},
                   {"Γ now", Table::right},
                   {"runs", Table::right},
                   {"sample", Table::right},
                   {"95 % interval"},
                   {"runs", Table::right}});
  for (const stats::QuantilePlan& q : plan.quantiles)
    quantiles.row({quantile_name(q.q), number(q.quantile + plan.centre),
                   fmt::format("{} to {}", number(q.model_low), number(q.model_high)),
                   fmt::format("{:.4f}", q.gamma_now), runs_text(q.needed), number(q.sample.estimate),
                   fmt::format("{} to {}", number(q.sample.low), number(q.sample.high)),
                   runs_text(q.needed_without_model)});
  out.table(quantiles);

  std::vector<Table::Column> columns = {{"n", Table::right}};
  for (const stats::QuantilePlan& q : plan.quantiles)
    columns.push_back({fmt::format("Γ {}", quantile_name(q.q)), Table::right});
  Table gammas(columns);
  for (const stats::Plan::Row& row : plan.table) {
    std::vector<std::string> cells = {format_count(row.n)};
    for (const double gamma : row.gamma) cells.push_back(fmt::format("{:.4f}", gamma));
    gammas.row(cells);
  }
  out.write("\n");
  out.table(gammas);
  for (const std::string& note : plan.notes) out.print("Note: {}\n", note);
}

void print_lines(const std::vector<PlannedGroup>& groups, Output& out) {
  Table table({{"group", Table::shrinks},
               {"n", Table::right},
               {"family"},
               {"k", Table::right},
               {"runs", Table::right},
               {"model trusted"}});
  for (const PlannedGroup& planned : groups) {
    if (!planned.plan) {
      table.row({stats::label(planned.group), std::to_string(planned.group.values.size()), "-", "-", "-",
                 "skipped"});
      continue;
    }
    table.row({stats::label(planned.group), std::to_string(planned.plan->n),
               std::string(stats::name(planned.model->family)),
               std::to_string(planned.model->components.size()), runs_text(planned.plan->runs),
               planned.plan->model_trusted ? "yes" : "no"});
  }
  out.table(table);
}

Result<int> run_plan(const Options& options, Output& out) {
  auto samples = read(options.input, options.input.file);
  if (!samples) return samples.error();
  std::vector<PlannedGroup> groups;
  for (stats::Group& group : samples->groups)
    groups.push_back({.group = std::move(group), .model = {}, .plan = {}, .skipped = {}});
  const unsigned threads = options.threads > 0 ? options.threads : usable_cores();
  Progress progress("planning", groups.size());
  parallel_for(
      groups.size(),
      [&](std::size_t i) {
        if (interrupted()) return;
        plan_group(groups[i], options, groups.size() == 1 ? threads : 1);
        progress.advance();
      },
      threads);
  if (auto asked = check_interrupt(); !asked) return asked.error();

  std::size_t skipped = 0;
  for (const PlannedGroup& planned : groups) {
    if (planned.skipped.empty()) continue;
    ++skipped;
    const Error error =
        Error{Errc::bad_data, planned.skipped}.in(stats::label(planned.group)).in(samples->source);
    if (options.input.query.strict || groups.size() == 1) return error;
    if (skipped <= 3) warn("{}", error.text());
  }
  if (skipped == groups.size())
    return Error{Errc::bad_data, "not one group could be planned for"}.in(samples->source);

  if (options.json) {
    Json document = json_document("plan");
    document["input"] = input_json(*samples);
    document["options"] = {
        {"precision", options.plan.target}, {"centered", options.plan.centered}, {"seed", options.seed}};
    if (groups.size() == 1) document["table"] = table_json(*groups.front().plan);
    document["groups"] = Json::array();
    for (const PlannedGroup& planned : groups) document["groups"].push_back(plan_json(planned));
    out.json(document);
  } else if (groups.size() > kDetailedGroups) {
    print_lines(groups, out);
  } else {
    bool first = true;
    for (const PlannedGroup& planned : groups) {
      if (!first) out.write("\n");
      first = false;
      print_plan(planned, options, !planned.group.key.empty(), out);
    }
  }
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  options->plan.table = {1, 30, 40, 50, 100, 150, 250, 500, 1000};
  options->plan.refits = 199;
  add_sample_options(app, options->input);
  add_choice(app, "--family", options->family,
             {"normal", "gamma", "weibull", "lognormal", "loglogistic", "frechet"},
             "family of the model (the best by BIC)");
  auto* exact =
      app.add_option("--components", options->components, "components of the model (the best by BIC)")
          ->type_name("K")
          ->check(CLI::Range(1, stats::kMostComponents));
  app.add_option("--max-components", options->max_components, "try 1 to K components (5)")
      ->type_name("K")
      ->check(CLI::Range(1, stats::kMostComponents))
      ->excludes(exact);
  app.add_option("--quantiles", options->plan.quantiles, "quantiles that must be known well (0.1,0.9)")
      ->type_name("Q,...")
      ->delimiter(',')
      ->check(CLI::Range(0.0001, 0.9999));
  app.add_option("--precision", options->plan.target,
                 "largest |Γ|: standard error of a quantile over the quantile (0.02)")
      ->type_name("SHARE")
      ->check(CLI::Range(1e-6, 10.0));
  app.add_option("--n", options->plan.table, "numbers of runs to tabulate Γ for")
      ->type_name("N,...")
      ->delimiter(',')
      ->check(CLI::Range(1, 1000000000));
  app.add_flag("--centered", options->plan.centered,
               "subtract the sample mean first, as Xu et al. do; Γ is not shift invariant");
  app.add_option("--refits", options->plan.refits,
                 "refits that calibrate the model's intervals; 0: estimate ± 1.96 errors (199)")
      ->type_name("N")
      ->check(CLI::Range(0, 100000));
  app.add_option("--seed", options->seed, "of starts and refits; the same seed gives the same bytes (1)")
      ->type_name("S");
  app.add_option("--threads", options->threads, "threads to use; does not change the result (all cores)")
      ->type_name("N");
  add_json_flag(app, options->json);
  return [options](Output& out) {
    options->plan.seed = options->seed;
    return run_plan(*options, out);
  };
}

constexpr std::array kExamples = {
    Example{"weir plan runs.csv --column throughput",
            "runs until the 10 % and 90 % quantiles are known to 2 %"},
    Example{"weir plan runs.csv --column mb_s --group threads --quantiles 0.01,0.5 --precision 0.05",
            "other quantiles, per configuration"},
    Example{"weir plan runs.csv --column x --family normal --components 2 --n 1,40,250 --centered",
            "as in Xu et al. (2020), Table 8"},
};

}  // namespace

const Command kPlan = {
    .name = "plan",
    .summary = "how many runs it takes to know the quantiles of a configuration",
    .examples = kExamples,
    .define = define,
    .notes =
        "Γ is the standard error of a quantile divided by the quantile. It comes from the Fisher information "
        "of the fitted "
        "mixture; beside it stand intervals from order statistics, which need no model: where the two "
        "disagree, believe the "
        "latter.\n"
        "Runs that depend on the ones before count for fewer; keep the file in run order. Never fewer than "
        "30 runs are advised.",
};

}  // namespace weir::cli
