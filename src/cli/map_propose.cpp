#include <algorithm>
#include <array>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.hpp"
#include "cli/map.hpp"
#include "surface/propose.hpp"

namespace weir::cli {
namespace {

constexpr Eigen::Index kMostCandidates = 3000;

struct Options {
  MapOptions map;
  surface::ProposeOptions propose;
  std::string candidates;
  std::vector<std::string> candidates_where;
};

// The configurations of a file, or those that the measured values allow.
Result<surface::Candidates> candidates_of(const surface::MapData& map, const Options& options) {
  if (options.candidates.empty())
    return surface::likely_configurations(map, kMostCandidates, options.map.seed);
  auto rows = read_keys(options.map, map, options.candidates, options.candidates_where);
  if (!rows) return rows.error();
  Eigen::MatrixXd all(static_cast<Eigen::Index>(rows->size()), map.at.cols());
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const auto at = surface::parse_configuration(map, surface::factors_only(map, (*rows)[i]));
    if (!at) return at.error().in(options.candidates);
    all.row(static_cast<Eigen::Index>(i)) = at->transpose();
  }
  return surface::Candidates{.at = std::move(all)};
}

struct Line {
  Eigen::VectorXd at;
  bool measured = false;
  int runs = 0;
  double error_percent = 0;
};

// Batches that go to one configuration are one line, where its first batch stood.
std::vector<Line> lines_of(const surface::Plan& plan) {
  std::vector<Line> lines;
  for (const surface::Proposal& step : plan.steps) {
    const auto same =
        std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return line.at == step.at; });
    if (same == lines.end())
      lines.push_back({step.at, step.measured, step.runs, step.error_percent});
    else
      same->runs += step.runs;
  }
  return lines;
}

Result<int> run_propose(const Options& options, Output& out) {
  const auto input = read_maps(options.map);
  if (!input) return input.error();
  Json document = json_document("map-propose");
  document["input"] = map_input_json(*input, options.map);
  document["budget_runs"] = options.propose.budget;
  document["seed"] = options.map.seed;
  document["maps"] = Json::array();
  bool first = true;
  for (const surface::MapData& map : input->maps) {
    const auto candidates = candidates_of(map, options);
    if (!candidates) return candidates.error();
    surface::ProposeOptions own = options.propose;
    own.seed = options.map.seed;
    own.budget = options.propose.budget / static_cast<int>(input->maps.size());
    const auto plan = surface::propose(map, candidates->at, own);
    if (!plan) return plan.error().in(map.name());
    const double after = plan->steps.empty() ? plan->error_percent : plan->steps.back().error_percent;
    const auto lines = lines_of(*plan);
    Json steps = Json::array();
    for (const Line& line : lines) {
      Json configuration = Json::object();
      for (std::size_t f = 0; f < map.factors.size(); ++f)
        configuration[map.factors[f].name] = map.factors[f].text(line.at[static_cast<Eigen::Index>(f)]);
      steps.push_back({{"configuration", std::move(configuration)},
                       {"measured_before", line.measured},
                       {"runs", line.runs},
                       {"expected_error_percent", json_number(line.error_percent)}});
    }
    document["maps"].push_back({{"key", key_json(map.key)},
                                {"candidates", plan->candidates},
                                {"candidates_drawn", candidates->drawn},
                                {"expected_error_percent", json_number(plan->error_percent)},
                                {"expected_error_after_percent", json_number(after)},
                                {"proposals", std::move(steps)}});
    if (options.map.json) continue;
    if (!first) out.write("\n");
    first = false;
    out.print("{}{}: expected error over {} configurations {:.2f} % now, {:.2f} % after these runs\n\n",
              map.key.empty() ? "" : map.name() + ": ", map.response, plan->candidates, plan->error_percent,
              after);
    Table table(
        {{"configuration", Table::shrinks}, {"runs", Table::right}, {"is"}, {"error then %", Table::right}});
    for (const Line& line : lines)
      table.row({assignments(map, line.at), std::to_string(line.runs), line.measured ? "repeated" : "new",
                 fmt::format("{:.2f}", line.error_percent)});
    out.table(table);
    if (candidates->drawn)
      out.print(
          "Note: combinations are too many to weigh all; these were drawn by --seed {}. --candidates FILE "
          "names others.\n",
          options.map.seed);
  }
  if (options.map.json) out.json(document);
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_map_options(app, options->map);
  app.add_option("--runs,--budget", options->propose.budget, "runs that may be spent (100)")
      ->type_name("N")
      ->check(CLI::Range(1, 10000000));
  app.add_option("--batch", options->propose.batch,
                 "runs of one proposal (as many as a configuration usually has)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--candidates", options->candidates,
                 "choose among the configurations of this file (all combinations of measured values that fit "
                 "together)")
      ->type_name("FILE");
  app.add_option("--candidates-where", options->candidates_where, "which rows of that file")
      ->type_name("C=V,...")
      ->delimiter(',');
  return [options](Output& out) { return run_propose(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir map propose runs.csv --factors threads,file_kb,record_kb --from-runs mb_s --runs 400",
            "where 400 more runs teach most"},
    Example{"weir map propose runs.db --runs 200 --batch 10", "of a campaign, in tens"},
};

}  // namespace

const Command kMapPropose = {
    .name = "propose",
    .summary = "what to measure next: new configurations, or more runs of known ones",
    .examples = kExamples,
    .define = define,
    .notes =
        "Each step takes the batch of runs that lowers the expected error over all candidates most, by a "
        "Gaussian "
        "process. Where maps are split, each gets an equal share of the runs.",
};

}  // namespace weir::cli
