#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/progress.hpp"
#include "base/rank_launcher.hpp"
#include "base/units.hpp"
#include "campaign/environment.hpp"
#include "campaign/machine_name.hpp"
#include "campaign/plan.hpp"
#include "campaign/runner.hpp"
#include "cli/bench.hpp"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string grid, db, directory = ".";
  std::uint32_t runs = 0;
  std::optional<std::uint64_t> seed;
  std::string until, budget, on_failure = "continue", machine, mpi = "openmpi", launcher;
  bool resume = false, keep = false, verify = false, no_monitors = false, json = false;
};

// "5%" or "0.05".
Result<double> parse_share(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, fault] = std::from_chars(text.data(), end, value);
  const std::string_view rest(stopped, static_cast<std::size_t>(end - stopped));
  if (fault == std::errc() && (rest == "%" || rest.empty())) {
    if (rest == "%") value /= 100;
    if (value > 0 && value < 1) return value;
  }
  return Error{Errc::usage, fmt::format("--until '{}' is not a share of the median", text)}.with_remedy(
      "write 5%");
}

Result<campaign::RunOptions> run_options(const Options& options) {
  campaign::RunOptions run;
  if (!options.until.empty()) {
    const auto share = parse_share(options.until);
    if (!share) return share.error();
    run.until = *share;
  }
  if (!options.budget.empty()) {
    const auto budget = parse_duration(options.budget);
    if (!budget) return budget.error().in("--budget");
    run.budget = *budget;
  }
  run.stop_at_failure = options.on_failure == "stop";
  run.monitors = !options.no_monitors;
  run.machine = options.machine;
  run.mpi = options.mpi;
  run.launcher = split_words(options.launcher);
  if (run.machine.empty()) run.machine = campaign::machine_name();
  return run;
}

struct Chosen {
  campaign::Store store;
  std::int64_t number = 0;
  campaign::Plan plan;
  std::uint32_t runs = 0;
};

// Most runs of a configuration that --until does not stop earlier.
constexpr std::uint32_t kMostUntil = 1000;

std::uint32_t planned_runs(const Options& options, std::uint32_t otherwise) {
  if (options.runs > 0) return options.runs;
  return options.until.empty() ? otherwise : std::max(otherwise, kMostUntil);
}

std::vector<campaign::Levels> levels_of(const campaign::Plan& plan) {
  std::vector<campaign::Levels> all;
  for (const campaign::Configuration& configuration : plan.configurations)

    all.push_back(campaign::levels_of(plan.grid, configuration));
  return all;
}

void apply(const Options& options, campaign::Grid& grid) {
  if (options.seed) grid.seed = *options.seed;
  if (options.verify) grid.fixed.emplace_back("verify", "true");
  if (options.keep) grid.fixed.emplace_back("keep", "true");
}

Result<std::uint64_t> missing_runs(const campaign::Store& store, std::int64_t number,
                                   const campaign::CampaignFacts& facts, const std::string& machine) {
  const auto done = store.repeats_done(number, machine);
  if (!done) return done.error();
  std::uint64_t missing = 0;
  for (const std::uint32_t runs : *done) missing += runs < facts.runs ? facts.runs - runs : 0;
  return missing;
}

Result<Chosen> start_new(const Options& options, const campaign::RunOptions& run) {
  if (options.grid.empty())
    return Error{Errc::usage, "no --grid"}.with_remedy(
        "give a grid file, or --resume with --db; examples/quick.toml is one");
  auto grid = campaign::read_grid(options.grid);
  if (!grid) return grid.error();
  apply(options, *grid);
  const std::uint32_t runs = planned_runs(options, grid->runs);
  const fs::path db = options.db.empty() ? fs::path(grid->name + ".db") : fs::path(options.db);
  auto plan = campaign::make_plan(*std::move(grid), options.directory);
  if (!plan) return plan.error().in(options.grid);
  auto store = campaign::Store::open(db);
  if (!store) return store.error();
  const auto before = store->campaigns();
  if (!before) return before.error();
  for (const std::int64_t number : *before) {
    const auto facts = store->campaign(number);
    if (!facts) return facts.error();
    if (facts->grid != plan->grid.text || facts->name != plan->grid.name) continue;
    const auto missing = missing_runs(*store, number, *facts, run.machine);
    if (!missing) return missing.error();
    if (*missing > 0)
      return Error{Errc::usage,
                   fmt::format("campaign {} ('{}') still lacks {} runs", number, facts->name, *missing)}
          .in(db.string())
          .with_remedy("go on with --resume, or give another --db");
  }
  campaign::CampaignFacts facts;
  facts.name = plan->grid.name;
  facts.grid = plan->grid.text;
  facts.seed = plan->grid.seed;
  facts.runs = runs;
  facts.environment = campaign::capture_environment(options.directory);
  facts.factors = plan->factor_names();
  const auto number = store->add_campaign(facts, levels_of(*plan));
  if (!number) return number.error();
  return Chosen{*std::move(store), *number, *std::move(plan), runs};
}

// A store keeps the text of a grid, not its file's ending.
Result<campaign::Grid> parse_stored(const std::string& text, const std::string& name) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return campaign::parse_grid(text, name, first == std::string::npos || text[first] != '{');
}

Result<Chosen> resume(const Options& options) {
  if (options.db.empty() && options.grid.empty())
    return Error{Errc::usage, "--resume needs to know which store"}.with_remedy(
        "give --db FILE or --grid FILE");
  std::string db = options.db;
  std::optional<campaign::Grid> given;
  if (!options.grid.empty()) {
    auto grid = campaign::read_grid(options.grid);
    if (!grid) return grid.error();
    given = *std::move(grid);
    if (db.empty()) db = given->name + ".db";
  }
  const auto name = parse_campaign_name(db);
  if (!name) return name.error();
  if (std::error_code fault; !fs::exists(name->file, fault))
    return Error{Errc::not_found, "no such store"}
        .in(name->file.string())
        .with_remedy("leave --resume out to begin");
  auto store = campaign::Store::open(name->file);
  if (!store) return store.error();
  const auto all = store->campaigns();
  if (!all) return all.error();
  if (all->empty())
    return Error{Errc::not_found, "holds no campaign"}
        .in(name->file.string())
        .with_remedy("leave --resume out to begin");
  const std::int64_t number = name->number == 0 ? all->back() : name->number;
  const auto facts = store->campaign(number);
  if (!facts) return facts.error();
  if (facts->kind != "bench")
    return Error{Errc::usage,
                 fmt::format("campaign {} is of the kind {} and cannot go on", number, facts->kind)}
        .in(db);
  if (given && given->text != facts->grid)
    return Error{Errc::usage,
                 fmt::format("{} is not the grid that campaign {} began with", options.grid, number)}
        .in(db)
        .with_remedy("leave --grid out to go on with the old one, or --resume to begin anew");
  auto grid = given ? Result<campaign::Grid>(*std::move(given)) : parse_stored(facts->grid, facts->name);
  if (!grid) return grid.error().in(db);
  grid->seed = facts->seed;
  apply(options, *grid);
  auto plan = campaign::make_plan(*std::move(grid), options.directory);
  if (!plan) return plan.error().in(db);
  const auto kept = store->configurations(number);
  if (!kept) return kept.error();
  if (*kept != levels_of(*plan))
    return Error{Errc::bad_data, "the grid now gives other configurations than the campaign began with"}
        .in(db)
        .with_remedy("a list the grid names was changed; begin a new campaign");
  return Chosen{*std::move(store), number, *std::move(plan), planned_runs(options, facts->runs)};
}

std::string_view why_text(campaign::CampaignEnd::Why why) {
  switch (why) {
    case campaign::CampaignEnd::Why::finished:
      return "finished";
    case campaign::CampaignEnd::Why::interrupted:
      return "interrupted";
    case campaign::CampaignEnd::Why::out_of_time:
      return "out_of_time";
    case campaign::CampaignEnd::Why::failure:
      return "failure";
  }
  return "";
}

// The progress bar's total changes when --until stops configurations early, so the bar counts what is left
// anew.
class Teller {
 public:
  explicit Teller(bool quiet) : quiet_(quiet) {}

  void operator()(const campaign::Progress& progress, const campaign::RunRow* row) {
    if (!bar_) {
      if (!quiet_ && progress.planned > progress.done)
        fmt::print(stderr, "{} of {} runs to do{}\n", format_count(progress.planned - progress.done),
                   format_count(progress.planned),
                   progress.left ? fmt::format(", about {}", format_duration(*progress.left)) : "");
      bar_.emplace("running", progress.planned);
      bar_->advance(progress.done);
    }
    if (row == nullptr) return;
    bar_->advance();
    if (row->state == campaign::RunState::disturbed && first_disturbance_.empty())
      first_disturbance_ = row->reason;
    if (row->state == campaign::RunState::failed && told_++ < 3) warn("run failed: {}", row->reason);
  }

  const std::string& first_disturbance() const { return first_disturbance_; }

 private:
  bool quiet_;
  std::string first_disturbance_;
  std::optional<weir::Progress> bar_;
  int told_ = 0;
};

// Said once, before a store is made, instead of by every run.
Result<void> check_directory(const fs::path& directory) {
  std::error_code fault;
  if (!fs::exists(directory, fault))
    return Error{Errc::not_found, "no such directory"}
        .in(directory.string())
        .with_remedy("make it, or give another --dir");
  if (!fs::is_directory(directory, fault))
    return Error{Errc::usage, "is no directory"}.in(directory.string()).with_remedy("give another --dir");
  if (::access(directory.c_str(), W_OK | X_OK) != 0)
    return Error::from_errno(errno, "cannot be written")
        .in(directory.string())
        .with_remedy("give another --dir");
  return {};
}

Result<int> run_bench(const Options& options, Output& out) {
  if (const auto good = check_directory(options.directory); !good) return good.error();
  auto run = run_options(options);
  if (!run) return run.error();
  auto chosen = options.resume ? resume(options) : start_new(options, *run);
  if (!chosen) return chosen.error();
  run->runs = chosen->runs;
  Result<campaign::CampaignEnd> end = campaign::CampaignEnd{};
  std::string disturbance;
  {
    Teller teller(options.json);
    end = campaign::run_campaign(chosen->store, chosen->number, chosen->plan, *run, std::ref(teller));
    disturbance = teller.first_disturbance();
  }
  if (!end) return end.error();
  const std::string db = chosen->store.file();
  const OpenedCampaign opened{std::move(chosen->store), chosen->number, {}};
  auto facts = opened.store.campaign(opened.number);
  if (!facts) return facts.error();
  OpenedCampaign shown{std::move(const_cast<OpenedCampaign&>(opened).store), opened.number,
                       *std::move(facts)};
  const auto& progress = end->progress;
  if (options.json) {
    Json document = json_document("bench-run");
    document["store"] = db;
    document["campaign"] = shown.number;
    document["seed"] = shown.facts.seed;
    document["end"] = why_text(end->why);
    document["runs"] = progress.done;
    document["planned"] = progress.planned;
    document["failed"] = progress.failed;
    document["disturbed"] = progress.disturbed;
    document["seconds"] = static_cast<double>(progress.spent.count) * 1e-9;
    document["configurations"] = summary_json(shown);
    out.measured_json(document);
  } else {
    print_summary(shown, 40, out);
    if (progress.disturbed > 0)
      out.print("\n{} runs were disturbed, and are kept but left out above; the first: {}\n",
                format_count(progress.disturbed), disturbance);
    out.print("\n{} of {} runs in {}#{}\n", format_count(progress.done), format_count(progress.planned), db,
              shown.number);
  }
  switch (end->why) {
    case campaign::CampaignEnd::Why::failure:
      return end->failure->with_remedy("the rows so far are kept; --resume goes on");
    case campaign::CampaignEnd::Why::interrupted:
      return Error{Errc::interrupted, "stopped"}.with_remedy(
          fmt::format("weir bench run --db {} --resume goes on", db));
    case campaign::CampaignEnd::Why::out_of_time:
      warn("the budget is used up; weir bench run --db {} --resume goes on", db);
      return 0;
    case campaign::CampaignEnd::Why::finished:
      return 0;
  }
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("--grid", options->grid, "what to measure: factors and their levels, in TOML or JSON")
      ->type_name("FILE");
  app.add_option("--dir", options->directory, "where the files are written; on the storage to be measured")
      ->type_name("DIR");
  app.add_option("--runs", options->runs, "runs of each configuration; the grid's own number if left out")
      ->check(CLI::Range(1U, 1'000'000U))
      ->type_name("N");
  app.add_option("--db", options->db, "the results store; NAME.db if left out")->type_name("FILE");
  app.add_flag("--resume", options->resume, "go on with a campaign that was cut off");
  app.add_option("--until", options->until,
                 "stop a configuration once the 95 % half-width of its median is within this share; never "
                 "below 30 runs")
      ->type_name("5%");
  app.add_option("--budget", options->budget, "stop after this time; --resume goes on")->type_name("TIME");
  add_choice(app, "--on-failure", options->on_failure, {"continue", "stop"},
             "what a failed run does to the campaign");
  app.add_flag("--verify", options->verify, "check what was written and read");
  app.add_flag("--keep", options->keep, "leave the files of the runs");
  add_json_flag(app, options->json);
  const std::string few = "For few";
  app.add_option("--seed", options->seed, "of the order of runs and of their data")
      ->type_name("S")
      ->group(few);
  app.add_option("--machine", options->machine, "the name of this machine's rows; the host's")
      ->type_name("NAME")
      ->group(few);
  add_choice(app, "--mpi", options->mpi, {"openmpi", "mpich"}, "which MPI runs jobs with workers = mpi")
      ->group(few);
  app.add_option("--launcher", options->launcher, "what starts MPI ranks: mpirun, srun, with its own flags")
      ->type_name("COMMAND")
      ->group(few);
  app.add_flag("--no-monitors", options->no_monitors,
               "do not watch the storage's counters, nor judge runs by them")
      ->group(few);
  return [options](Output& out) { return run_bench(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir bench run --grid examples/quick.toml --runs 40 --dir scratch",
            "480 runs of 12 configurations into quick.db"},
    Example{"weir bench run --db quick.db --resume --dir scratch",
            "go on after Ctrl-C, a kill or a power failure"},
    Example{"weir bench run --grid examples/quick.toml --until 5% --budget 2h",
            "as many runs as the medians need"},
};

}  // namespace

const Command kBenchRun = {
    .name = "run",
    .summary = "run a grid's configurations in random order, one row a run",
    .examples = kExamples,
    .define = define,
    .notes =
        "A campaign goes in rounds: each round runs every configuration once, in a new random order.\n"
        "Runs disturbed by others (traffic above 10 % of the run's own, processor pressure, steal) are kept, "
        "marked with the "
        "reason and left out of fits.\n"
        "Settings of the machine that the grid varies are put back at the end, also after a kill.",
};

}  // namespace weir::cli
