#include <array>
#include <limits>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.hpp"
#include "cli/bench.hpp"

namespace weir::cli {
namespace {

struct Options {
  std::string campaign;
  bool all = false, environment = false, json = false;
};

Result<int> show(const Options& options, Output& out) {
  auto opened = open_campaign(options.campaign);
  if (!opened) return opened.error();
  const campaign::CampaignFacts& facts = opened->facts;
  if (options.json) {
    Json document = json_document("bench-show");
    document["store"] = opened->store.file().string();
    document["campaign"] = opened->number;
    document["name"] = facts.name;
    document["kind"] = facts.kind;
    document["runs_planned"] = facts.runs;
    document["seed"] = facts.seed;
    document["factors"] = facts.factors;
    document["environment"] = facts.environment;
    document["configurations"] = summary_json(*opened);
    out.json(document);
    return 0;
  }
  const auto others = opened->store.campaigns();
  if (!others) return others.error();
  out.print("{} ({}), campaign {} of {}\n", facts.name, facts.kind, opened->number, others->size());
  if (options.environment) out.json(facts.environment);
  out.write("\n");
  print_summary(*opened, options.all ? std::numeric_limits<std::size_t>::max() : 40, out);
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("DB", options->campaign, "a results store; DB#2 is its second campaign, else the newest")
      ->required();
  app.add_flag("--all", options->all, "every configuration, however many");
  app.add_flag("--environment", options->environment, "the machine it ran on");
  add_json_flag(app, options->json);
  return [options](Output& out) { return show(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir bench show quick.db", "the newest campaign, a line per configuration"},
    Example{"weir bench show quick.db#1 --environment", "an older one, with the machine it ran on"},
};

}  // namespace

const Command kBenchShow = {
    .name = "show",
    .summary = "what a store holds: runs, medians and spread per configuration",
    .examples = kExamples,
    .define = define,
};

}  // namespace weir::cli
