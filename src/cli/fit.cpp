#include <array>
#include <chrono>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/interrupt.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "cli/commands.hpp"
#include "cli/fit_options.hpp"

namespace weir::cli {
namespace {

constexpr int kDefaultBootstrap = 199;
constexpr std::size_t kMostForBootstrap = 20000;  // beyond, refits take minutes and any model is rejected

Result<stats::SelectionOptions> selection_options(const FitOptions& options) {
  stats::SelectionOptions selection;
  selection.max_components = options.components > 0 ? options.components : options.max_components;
  selection.em.seed = options.seed;
  selection.em.starts = options.starts;
  selection.em.floor = options.floor;
  if (options.family != "all") {
    const auto family = stats::parse_family(options.family);
    if (!family) return family.error();
    selection.families = {*family};
  }
  return selection;
}

// Fits one group; a group that cannot be fitted keeps the reason instead.
void fit_group(FittedGroup& fitted, const FitOptions& options, stats::SelectionOptions selection,
               int bootstrap, bool plot) {
  auto selected = stats::select_model(fitted.group.values, selection);
  if (selected && options.components > 0)
    std::erase_if(selected->models, [&](const stats::Model& model) {
      return std::cmp_not_equal(model.fit.mixture.components.size(), options.components);
    });
  if (!selected || selected->models.empty()) {
    fitted.skipped = selected ? fmt::format("too few values ({}) for {} components",
                                            fitted.group.values.size(), options.components)
                              : selected.error().text();
    return;
  }
  const stats::MixtureFit& best = selected->best().fit;
  if (bootstrap > 0 && (options.bootstrap > 0 || fitted.group.values.size() <= kMostForBootstrap)) {
    stats::GoodnessOptions goodness;
    goodness.replicates = bootstrap;
    goodness.em = selection.em;
    goodness.seed = options.seed;
    goodness.threads = selection.threads;
    if (auto tested = stats::test_goodness(fitted.group.values, best.mixture, goodness))
      fitted.goodness = *tested;
  }
  if (plot) fitted.plot = stats::plot_points(fitted.group.values, best.mixture, {.seed = options.seed});
  fitted.selection = std::move(*selected);
}

Result<Fitted> fit_all(const FitOptions& options, stats::Samples samples) {
  auto selection = selection_options(options);
  if (!selection) return selection.error();
  Fitted fitted;
  for (stats::Group& group : samples.groups)
    fitted.groups.push_back(
        {.group = std::move(group), .selection = {}, .skipped = {}, .goodness = {}, .plot = {}});
  samples.groups.clear();
  fitted.samples = std::move(samples);

  const std::size_t count = fitted.groups.size();
  const bool detailed = count <= kDetailedGroups;
  const int bootstrap = options.bootstrap >= 0 ? options.bootstrap : detailed ? kDefaultBootstrap : 0;
  const bool plot = options.plot || detailed;
  fitted.threads = options.threads > 0 ? options.threads : usable_cores();
  // Many groups are fitted side by side; one alone shares out its families.
  if (count == 1) selection->threads = fitted.threads;
  const auto start = std::chrono::steady_clock::now();
  Progress progress("fitting", count);
  parallel_for(
      count,
      [&](std::size_t i) {
        if (interrupted()) return;
        fit_group(fitted.groups[i], options, *selection, bootstrap, plot);
        progress.advance();
      },
      fitted.threads);
  fitted.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (auto asked = check_interrupt(); !asked) return asked.error();
  return fitted;
}

Result<int> run_fit(const FitOptions& options, Output& out) {
  auto samples = read(options.input, options.input.file);
  if (!samples) return samples.error();
  if (options.family == "gev" || options.family == "gumbel")
    return run_extremes(options, std::move(*samples), out);

  auto fitted = fit_all(options, std::move(*samples));
  if (!fitted) return fitted.error();
  std::size_t skipped = 0;
  for (const FittedGroup& group : fitted->groups) {
    if (group.skipped.empty()) continue;
    ++skipped;
    if (options.input.query.strict)
      return Error{Errc::bad_data, group.skipped}.in(stats::label(group.group)).in(fitted->samples.source);
    if (skipped <= 3) warn("{}: {}: {}", fitted->samples.source, stats::label(group.group), group.skipped);
  }
  if (skipped > 3) warn("{}: {} groups in all could not be fitted", fitted->samples.source, skipped);
  if (skipped == fitted->groups.size())
    return Error{Errc::bad_data, "not one group could be fitted"}.in(fitted->samples.source);

  if (!options.csv.empty())
    if (auto written = write_fit_csv(*fitted, options.csv); !written) return written.error();
  if (options.json)
    out.json(fit_json(*fitted, options));
  else
    print_fit(*fitted, options, out);
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<FitOptions>();
  add_sample_options(app, options->input);
  add_choice(app, "--family", options->family,
             {"all", "normal", "gamma", "weibull", "lognormal", "loglogistic", "frechet", "gev", "gumbel"},
             "family to fit; all: the six mixture families; gev, gumbel: maxima");
  auto* exact = app.add_option("--components", options->components, "exactly this many components")
                    ->type_name("K")
                    ->check(CLI::Range(1, stats::kMostComponents));
  app.add_option("--max-components", options->max_components, "try 1 to K components (5)")
      ->type_name("K")
      ->check(CLI::Range(1, stats::kMostComponents))
      ->excludes(exact);
  app.add_option("--seed", options->seed, "of starts and bootstrap; the same seed gives the same bytes (1)")
      ->type_name("S");
  app.add_option("--starts", options->starts, "EM starts for each model; the first is k-means (8)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->group("Fine tuning");
  app.add_option("--floor", options->floor,
                 "least scale of a component, as a share of the sample's range (0.01)")
      ->type_name("SHARE")
      ->check(CLI::Range(1e-9, 0.1))
      ->group("Fine tuning");
  app.add_option("--bootstrap", options->bootstrap,
                 "replicates of the goodness-of-fit tests, 0 for none (199 for up to 10 groups of up to "
                 "20000 values)")
      ->type_name("N")
      ->check(CLI::Range(0, 100000))
      ->group("Fine tuning");
  app.add_option("--top", options->top, "rows of the table of models (10)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  app.add_flag("--plot", options->plot, "points for plots in the JSON, also for more than 10 groups")
      ->group("Fine tuning");
  app.add_option("--threads", options->threads, "threads to use; does not change the result (all cores)")
      ->type_name("N")
      ->group("Fine tuning");
  add_json_flag(app, options->json);
  app.add_option("--csv", options->csv, "write every model of every group to a file")->type_name("OUT");
  app.add_option("--block", options->block, "take the largest of each N consecutive values first")
      ->type_name("N")
      ->check(CLI::Range(2, 1000000000))
      ->group("Extremes");
  app.add_option("--maxima-per", options->maxima_per,
                 "take the largest for each value of these columns, such as the targets of one write")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->group("Extremes");
  app.add_option("--return-levels", options->return_levels,
                 "probabilities of exceedance whose levels are wanted (0.1,0.01)")
      ->type_name("P,...")
      ->delimiter(',')
      ->check(CLI::Range(1e-12, 0.999999))
      ->group("Extremes");
  app.add_option("--quiet", options->quiet,
                 "runs on a quiet system; estimates the traffic factor against them")
      ->type_name("FILE")
      ->group("Extremes");
  app.add_option("--slowest-of", options->slowest_of,
                 "from one target's times, the time of the slowest of M, and its growth")
      ->type_name("M")
      ->check(CLI::Range(1.0, 1e9))
      ->group("Extremes");
  return [options](Output& out) { return run_fit(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir fit runs.csv --column throughput", "all 30 models of one sample, ranked by BIC"},
    Example{"weir fit runs.csv.zst --column mb_s --group threads,record_kb",
            "each configuration apart, on all cores"},
    Example{"weir fit wide.csv --wide throughput_ --family gamma --max-components 3 --json",
            "one row per configuration"},
    Example{"weir fit times.csv --column seconds --family gev --return-levels 0.01",
            "extremes: how slow is one write in a hundred"},
};

}  // namespace

const Command kFit = {
    .name = "fit",
    .summary = "what a sample's distribution looks like: mixtures, how many modes, how heavy the tail",
    .examples = kExamples,
    .define = define,
    .notes =
        "BIC is smaller for better models; two within 2 of each other are about equally good.\n"
        "A likelihood has no bound where values repeat, so no component's scale falls below the floor; "
        "models that rest "
        "on it are marked.\n"
        "Values that cannot be used are skipped and counted; --strict makes them an error. Families that "
        "live above 0 "
        "are left out, with a note, where a value is not.",
};

}  // namespace weir::cli
