#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/progress.hpp"
#include "base/units.hpp"
#include "campaign/testbed.hpp"
#include "cli/bench.hpp"
#include "cli/interfere.hpp"
#include "interference/placement.hpp"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;
using interference::Balance;
using interference::PlacedRun;
using interference::Placement;
using interference::PlacementStudy;
using interference::PlacementSummary;
using interference::TargetEnd;

struct Options {
  std::vector<std::string> targets, placements = {"balanced", "random"};
  std::string testbed, storage, size = "32M", chunk = "1M", rate = "50M", dirty = "8M";
  std::uint32_t count = 4, processes = 8, runs = 9;
  std::uint64_t seed = 1;
  bool disturbed_too = false, json = false;
};

std::string percent(double value) { return std::isfinite(value) ? fmt::format("{:.0f} %", value) : "-"; }

void print_targets(const Balance& balance, Output& out) {
  Table table({{"target"},
               {"written", Table::right},
               {"ends after", Table::right},
               {"rate", Table::right},
               {"", Table::shrinks}});
  for (const TargetEnd& end : balance.targets)
    table.row({end.name, format_bytes(Bytes(static_cast<std::uint64_t>(end.bytes))),
               fmt::format("{:.2f} s", end.end_s), rate_text(end.rate), end.straggler ? "straggler" : ""});
  out.table(table);
}

// What was seen while some program ran.
Result<int> tell_seen(const Options& options, Output& out) {
  fs::path file = options.storage;
  std::error_code fault;
  if (fs::is_directory(file, fault)) file /= kStorageFile;
  const auto text = read_text(file, std::size_t{1} << 30U);
  if (!text) return text.error();
  const auto seen = parse_json(*text);
  if (!seen) return seen.error().in(file.string());
  const auto targets = interference::targets_in(*seen);
  if (!targets) return targets.error().in(file.string());
  const Balance balance = interference::balance_of(*targets);
  if (options.json) {
    Json document = json_document("interfere-balance");
    document["storage"] = file.string();
    document.update(to_json(balance));
    document["slice_ns"] = targets->slice_ns;
    document["begin_ns"] = targets->begin_ns;
    document["written_bytes"] = Json::array();
    for (const auto& course : targets->courses) document["written_bytes"].push_back(course.bytes);
    out.json(document);
    return 0;
  }
  print_targets(balance, out);
  out.print(
      "\nThe last target ends {:.0f} % later than the median one. {:.1f} % of the bytes are in the tail of "
      "{:.2f} s, after the first had nothing more to do.\n",
      balance.imbalance, 100 * balance.tail_share, balance.tail_s);
  return 0;
}

Result<std::vector<Placement>> placements_in(const std::vector<std::string>& names) {
  std::vector<Placement> found;
  for (const std::string& text : names) {
    std::optional<Placement> known;
    for (const Placement each : {Placement::balanced, Placement::random})
      if (interference::name(each) == text) known = each;
    if (!known)
      return Error{Errc::usage, fmt::format("no placement '{}'", text)}
          .in("--placement")
          .with_remedy("there are: balanced, random");
    if (std::ranges::find(found, *known) == found.end()) found.push_back(*known);
  }
  return found;
}

Result<PlacementStudy> study_of(const Options& options, std::optional<campaign::Testbed>& bed) {
  PlacementStudy study;
  const auto size = parse_bytes(options.size);
  if (!size) return size.error().in("--size");
  const auto chunk = parse_bytes(options.chunk);
  if (!chunk) return chunk.error().in("--chunk");
  if (chunk->count == 0 || size->count < chunk->count)
    return Error{Errc::usage, "a file has at least one chunk"}.in("--size").with_remedy(
        "give for example --size 32M --chunk 1M");
  study.size = Bytes(size->count / chunk->count * chunk->count);
  study.chunk = *chunk;
  study.processes = options.processes;
  study.runs = options.runs;
  study.seed = options.seed;
  if (options.testbed.empty() == options.targets.empty())
    return Error{Errc::usage,
                 options.testbed.empty() ? "no targets" : "--targets and --testbed exclude each other"}
        .with_remedy(
            "give --targets with a directory on each, --testbed loop to try it as root, or --storage with "
            "what was kept");
  if (options.targets.size() == 1)
    return Error{Errc::usage, "one target is always balanced"}
        .in("--targets")
        .with_remedy("give two or more");
  for (const std::string& target : options.targets) {
    std::error_code fault;
    if (!fs::is_directory(target, fault))
      return Error{Errc::not_found, "is no directory"}.in(target).with_remedy(
          "make it, or give another target");
    study.targets.emplace_back(target);
  }
  if (options.testbed.empty()) return study;
  const auto rate = parse_bytes(options.rate);
  if (!rate) return rate.error().in("--rate");
  const auto dirty = parse_bytes(options.dirty);
  if (!dirty) return dirty.error().in("--dirty");
  // Chance may put all files on one.
  auto up = campaign::Testbed::up({.count = options.count,
                                   .size = Bytes(study.size.count * options.processes),
                                   .rate = *rate,
                                   .dirty = *dirty});
  if (!up) return up.error();
  study.targets = up->targets();
  bed = *std::move(up);
  return study;
}

Json summary_json(const PlacementSummary& summary, const PlacementStudy& study) {
  Json stragglers = Json::object();
  for (std::size_t i = 0; i < summary.straggled.size(); ++i)
    if (summary.straggled[i] > 0) stragglers[study.targets[i].string()] = summary.straggled[i];
  return {{"placement", name(summary.placement)},
          {"runs", summary.runs},
          {"disturbed", summary.disturbed},
          {"runtime_s", json_number(summary.runtime_s)},
          {"spread_s", json_number(summary.spread_s)},
          {"tail_share", json_number(summary.tail_share)},
          {"imbalance_percent", json_number(summary.imbalance)},
          {"stragglers", std::move(stragglers)}};
}

// How much of the spread of a random placement a balanced one takes away.
std::optional<double> reduction(const std::vector<PlacementSummary>& summaries) {
  const auto find = [&](Placement placement) {
    return std::ranges::find(summaries, placement, &PlacementSummary::placement);
  };
  const auto balanced = find(Placement::balanced), random = find(Placement::random);
  if (balanced == summaries.end() || random == summaries.end() || !(random->spread_s > 0) ||
      !std::isfinite(balanced->spread_s))
    return std::nullopt;
  return 100 * (1 - balanced->spread_s / random->spread_s);
}

void print(const PlacementStudy& study, const std::vector<PlacementSummary>& summaries, Output& out) {
  out.print("{} processes, a file of {} each, on {} targets\n\n", study.processes, format_bytes(study.size),
            study.targets.size());
  Table table({{"placement"},
               {"runtime", Table::right},
               {"spread of processes", Table::right},
               {"last target later by", Table::right},
               {"bytes in the tail", Table::right},
               {"runs", Table::right},
               {"stragglers", Table::shrinks}});
  for (const PlacementSummary& summary : summaries) {
    std::vector<std::string> straggled;
    for (std::size_t i = 0; i < summary.straggled.size(); ++i)
      if (summary.straggled[i] > 0)
        straggled.push_back(
            fmt::format("{} in {}", study.targets[i].filename().string(), summary.straggled[i]));
    table.row({std::string(name(summary.placement)), fmt::format("{:.2f} s", summary.runtime_s),
               fmt::format("{:.2f} s", summary.spread_s), percent(summary.imbalance),
               percent(100 * summary.tail_share), fmt::to_string(summary.runs),
               fmt::format("{}", fmt::join(straggled, ", "))});
  }
  out.table(table);
  if (const auto less = reduction(summaries))
    out.print("\nAs many files on every target takes away {:.0f} % of the processes' spread.\n", *less);
}

Result<int> run_balance(const Options& options, Output& out) {
  if (!options.storage.empty()) return tell_seen(options, out);
  const auto placements = placements_in(options.placements);
  if (!placements) return placements.error();
  std::optional<campaign::Testbed> bed;
  const auto study = study_of(options, bed);
  if (!study) return study.error();
  std::vector<PlacedRun> runs;
  {
    Progress bar("running", placements->size() * options.runs);
    for (std::uint32_t run = 0; run < options.runs; ++run)
      for (const Placement placement : *placements) {
        if (const auto fine = check_interrupt(); !fine) return fine.error();
        auto one = interference::run_placed(*study, placement, run);
        if (!one) return one.error();
        runs.push_back(*std::move(one));
        bar.advance();
      }
  }
  std::vector<PlacementSummary> summaries;
  for (const Placement placement : *placements)
    summaries.push_back(interference::summary_of(placement, runs, options.disturbed_too));
  if (options.json) {
    Json document = json_document("interfere-balance");
    document["targets"] = Json::array();
    for (const auto& target : study->targets) document["targets"].push_back(target.string());
    document["testbed"] = options.testbed.empty() ? Json(nullptr) : Json(options.testbed);
    document["processes"] = study->processes;
    document["size_bytes"] = study->size.count;
    document["placements"] = Json::array();
    for (const PlacementSummary& summary : summaries)
      document["placements"].push_back(summary_json(summary, *study));
    const auto less = reduction(summaries);
    document["spread_reduction_percent"] = less ? json_number(*less) : Json(nullptr);
    document["runs"] = Json::array();
    for (const PlacedRun& run : runs) document["runs"].push_back(to_json(run));
    document["seed"] = options.seed;
    out.measured_json(document);
  } else {
    print(*study, summaries, out);
  }
  if (!runs.front().storage_seen)
    warn("targets share a device, or have none that is seen: rates are of the programs, not of the storage");
  for (const PlacementSummary& summary : summaries)
    if (summary.disturbed > 0)
      warn("{} of {} {} runs were disturbed by others{}", summary.disturbed, options.runs,
           name(summary.placement), options.disturbed_too ? "" : " and are left out");
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("--targets", options->targets, "a directory on each target of the storage")
      ->type_name("DIR,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_choice(app, "--testbed", options->testbed, {"loop"},
             "make throttled loop devices and measure there; needs root");
  app.add_option("--storage", options->storage,
                 "show the targets in what weir interfere slices --dir kept; measure nothing")
      ->type_name("DIR");
  app.add_option("--placement", options->placements,
                 "balanced: as many files on each target; random: wherever chance puts them")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  app.add_option("--processes", options->processes, "that each write a file")
      ->check(CLI::Range(1U, 4096U))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--size", options->size, "of a file")->type_name("SIZE")->capture_default_str();
  app.add_option("--chunk", options->chunk, "what one write moves")->type_name("SIZE")->capture_default_str();
  app.add_option("--runs", options->runs, "of each placement")
      ->check(CLI::Range(1U, 100'000U))
      ->type_name("N")
      ->capture_default_str();
  add_json_flag(app, options->json);
  const std::string few = "For few";
  app.add_option("--count", options->count, "targets of a testbed")
      ->check(CLI::Range(2U, 64U))
      ->type_name("N")
      ->capture_default_str()
      ->group(few);
  app.add_option("--rate", options->rate, "what each of them takes in a second")
      ->type_name("SIZE")
      ->capture_default_str()
      ->group(few);
  app.add_option("--dirty", options->dirty, "what may wait in memory for each")
      ->type_name("SIZE")
      ->capture_default_str()
      ->group(few);
  app.add_option("--seed", options->seed, "of the random placement")->type_name("S")->group(few);
  app.add_flag("--disturbed-too", options->disturbed_too, "count runs that others disturbed")->group(few);
  return [options](Output& out) { return run_balance(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir interfere balance --targets /mnt/t0,/mnt/t1,/mnt/t2,/mnt/t3 --processes 16",
            "what a balanced placement of files gains on four targets"},
    Example{"weir interfere balance --testbed loop --count 4 --processes 8", "the same on loop devices"},
    Example{"weir interfere balance --storage sim.slices", "which targets were late while a program ran"},
};

}  // namespace

const Command kInterfereBalance = {
    .name = "balance",
    .summary = "whether a storage's targets are evenly at work, and what the placement of files does",
    .examples = kExamples,
    .define = define,
    .notes =
        "Each process writes a file of its own and flushes it. The tail begins when the first target has "
        "nothing more to do; a straggler ends a quarter later than the median target, and two slices at "
        "least. "
        "On Lustre a directory is on one target after lfs setstripe -c 1 -o INDEX.",
};

}  // namespace weir::cli
