#include "stats/detect.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.hpp"
#include "base/log.hpp"
#include "cli/commands.hpp"
#include "cli/sample_options.hpp"
#include "stats/selection.hpp"

namespace weir::cli {
namespace {

struct Options {
  SampleOptions input;  // its file is not used
  std::string baseline;
  std::string fresh;
  std::string better = "higher";
  double alpha = 0.01;
  std::uint64_t seed = 1;
  bool json = false;
};

struct Compared {
  stats::Group group;
  std::optional<stats::Mixture> model;
  stats::Detection detection;
};

// Fewer runs than this make no model; the comparison by ranks alone remains.
constexpr std::size_t kFewestForModel = 20;

std::optional<stats::Mixture> baseline_model(const std::vector<double>& values, std::uint64_t seed) {
  if (values.size() < kFewestForModel) return std::nullopt;
  stats::SelectionOptions selection;
  selection.em.seed = seed;
  selection.max_components = 3;
  selection.threads = 0;
  auto selected = stats::select_model(values, selection);
  if (!selected) return std::nullopt;
  return std::move(selected->models.front().fit.mixture);
}

Result<std::vector<Compared>> compare(const Options& options, const stats::Samples& baseline,
                                      const stats::Samples& fresh) {
  std::vector<Compared> compared;
  std::vector<std::pair<const stats::Group*, const stats::Group*>> pairs;
  for (const stats::Group& group : fresh.groups) {
    const auto same = std::ranges::find(baseline.groups, group.key, &stats::Group::key);
    if (same != baseline.groups.end())
      pairs.emplace_back(&*same, &group);
    else
      warn("{}: group {} is not in the baseline and is left out", fresh.source, stats::label(group));
  }
  if (pairs.empty())
    return Error{Errc::bad_data, fmt::format("no group of {} is in {}", fresh.source, baseline.source)};
  for (const auto& [before, after] : pairs) {
    stats::DetectOptions detect;
    detect.better = options.better == "lower" ? stats::Better::lower : stats::Better::higher;
    detect.alpha =
        options.alpha / static_cast<double>(pairs.size());  // one verdict over all groups (Bonferroni)
    detect.seed = options.seed;
    auto model = baseline_model(before->values, options.seed);
    auto found = stats::detect(before->values, after->values, model, detect);
    if (!found) return found.error().in(stats::label(*after));
    compared.push_back({*after, std::move(model), std::move(*found)});
  }
  return compared;
}

std::string_view verdict(const stats::Detection& detection) {
  if (detection.degraded) return "degraded";
  if (detection.improved) return "improved";
  return detection.changed ? "changed" : "as before";
}

Json to_json(const Options& options, const std::vector<Compared>& compared, bool degraded) {
  Json document = json_document("detect");
  document["degraded"] = degraded;
  document["options"] = {{"baseline", options.baseline},
                         {"new", options.fresh},
                         {"better", options.better},
                         {"alpha", options.alpha},
                         {"seed", options.seed}};
  document["groups"] = Json::array();
  for (const Compared& one : compared) {
    const stats::Detection& d = one.detection;
    Json values = Json::array();
    for (const stats::ValueTail& value : d.values)
      values.push_back({{"index", value.index},
                        {"value", value.value},
                        {"tail_probability", json_number(value.tail)},
                        {"calibrated", json_number(value.calibrated)},
                        {"adjusted", json_number(value.adjusted)},
                        {"abnormal", value.abnormal}});
    Json model = nullptr;
    if (one.model)
      model = {{"family", stats::name(one.model->family)}, {"components", one.model->components.size()}};
    document["groups"].push_back({{"key", key_json(one.group.key)},
                                  {"verdict", verdict(d)},
                                  {"baseline_n", d.baseline_n},
                                  {"new_n", d.fresh_n},
                                  {"baseline_median", d.baseline_median},
                                  {"new_median", d.fresh_median},
                                  {"shift", json_number(d.shift)},
                                  {"shift_percent", json_number(d.shift_percent)},
                                  {"worse_p", json_number(d.tests.worse_p)},
                                  {"better_p", json_number(d.tests.better_p)},
                                  {"change_p", json_number(d.tests.change_p)},
                                  {"detectable_80_percent", json_number(d.detectable_80_percent)},
                                  {"detectable_90_percent", json_number(d.detectable_90_percent)},
                                  {"model", std::move(model)},
                                  {"abnormal", d.abnormal},
                                  {"values", std::move(values)},
                                  {"notes", d.notes}});
  }
  return document;
}

void print_one(const Compared& one, Output& out) {
  const stats::Detection& d = one.detection;
  out.print("{}: {}: {} new runs against {}, median {:.5g} against {:.5g} ({:+.1f} %)\n",
            stats::label(one.group), verdict(d), d.fresh_n, d.baseline_n, d.fresh_median, d.baseline_median,
            d.shift_percent);
  out.print("  for the worse p = {:.4f}, for the better p = {:.4f}, any change p = {:.4f}\n", d.tests.worse_p,
            d.tests.better_p, d.tests.change_p);
  const auto shift = [](double percent) {
    return std::isfinite(percent) ? fmt::format("{:.1f} %", percent) : std::string("no shift");
  };
  out.print("  a loss of {} is found with 80 % probability, of {} with 90 %\n",
            shift(d.detectable_80_percent), shift(d.detectable_90_percent));
  for (const stats::ValueTail& value : d.values)
    if (value.abnormal)
      out.print("  run {}: {:.5g} is abnormal: tail probability {:.2g}\n", value.index + 1, value.value,
                value.calibrated);
  for (const std::string& note : d.notes) out.print("  note: {}\n", note);
}

Result<int> run_detect(const Options& options, Output& out) {
  auto baseline = read(options.input, options.baseline);
  if (!baseline) return baseline.error();
  auto fresh = read(options.input, options.fresh);
  if (!fresh) return fresh.error();
  auto compared = compare(options, *baseline, *fresh);
  if (!compared) return compared.error();
  const bool degraded =
      std::ranges::any_of(*compared, [](const Compared& one) { return one.detection.degraded; });
  if (options.json) {
    out.json(to_json(options, *compared, degraded));
  } else {
    for (const Compared& one : *compared) print_one(one, out);
    out.print("{}\n", degraded ? "Verdict: degraded" : "Verdict: not degraded");
  }
  return degraded ? 1 : 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("--baseline", options->baseline,
                 "runs that were good: CSV, JSON lines or numbers, also .zst")
      ->type_name("FILE")
      ->required();
  app.add_option("--new", options->fresh, "runs to judge; - is standard input")
      ->type_name("FILE")
      ->required();
  add_column_options(app, options->input);
  add_choice(app, "--better", options->better, {"higher", "lower"},
             "which way is good: higher for throughput (default), lower for time");
  app.add_option("--alpha", options->alpha, "false alarms to allow over all groups together (0.01)")
      ->type_name("P")
      ->check(CLI::Range(1e-6, 0.5));
  app.add_option("--seed", options->seed,
                 "of relabellings and refits; the same seed gives the same bytes (1)")
      ->type_name("S");
  add_json_flag(app, options->json);
  return [options](Output& out) { return run_detect(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir detect --baseline good.csv --new today.csv --column throughput",
            "exit 1 if today is worse: for CI jobs"},
    Example{"weir detect --baseline good.csv --new today.csv --column seconds --better lower --alpha 0.001",
            "times, fewer false alarms"},
};

}  // namespace

const Command kDetect = {
    .name = "detect",
    .summary = "whether new runs are worse than a baseline; exit 1 if they are",
    .examples = kExamples,
    .define = define,
    .notes =
        "Half of alpha is spent on ranks, which needs no model, half on single values too bad for the "
        "baseline's model with "
        "its own uncertainty taken in. With several groups alpha is shared out among them.\n"
        "What a comparison of these sizes could have found is printed beside the verdict: no alarm from "
        "three runs means little.",
};

}  // namespace weir::cli
