#include <array>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.hpp"
#include "base/units.hpp"
#include "campaign/compare.hpp"
#include "cli/bench.hpp"

namespace weir::cli {
namespace {

struct Options {
  std::string before, after;
  campaign::CompareOptions compare;
  bool strict = false, all = false, json = false;
};

Json report_json(const campaign::CompareReport& report) {
  Json document = json_document("bench-compare");
  document["outcome"] = name(report.outcome);
  document["faster"] = report.faster;
  document["slower"] = report.slower;
  document["same"] = report.same;
  document["inconclusive"] = report.inconclusive;
  document["only_before"] = report.only_before;
  document["only_after"] = report.only_after;
  document["runs_left_out"] = report.left_out;
  document["configurations"] = Json::array();
  for (const campaign::Comparison& one : report.configurations) {
    Json key = Json::object();
    for (std::size_t i = 0; i < report.factors.size(); ++i) key[report.factors[i]] = one.levels[i];
    document["configurations"].push_back({{"key", std::move(key)},
                                          {"before_n", one.before_n},
                                          {"after_n", one.after_n},
                                          {"before_median", json_number(one.before_median)},
                                          {"after_median", json_number(one.after_median)},
                                          {"ratio", json_number(one.ratio)},
                                          {"ratio_low", json_number(one.low)},
                                          {"ratio_high", json_number(one.high)},
                                          {"p_value", json_number(one.p)},
                                          {"adjusted_p_value", json_number(one.adjusted)},
                                          {"change", name(one.change)}});
  }
  return document;
}

std::string label(const campaign::CompareReport& report, const campaign::Comparison& one) {
  std::string text;
  for (std::size_t i = 0; i < report.factors.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? "" : " ", report.factors[i], one.levels[i]);
  return text.empty() ? "all" : text;
}

void print_report(const campaign::CompareReport& report, const Options& options, Output& out) {
  Table table({{"configuration", Table::shrinks},
               {"runs", Table::right},
               {"before", Table::right},
               {"after", Table::right},
               {"after/before", Table::right},
               {"interval", Table::right},
               {"p", Table::right},
               {"verdict"}});
  std::size_t hidden = 0;
  for (const campaign::Comparison& one : report.configurations) {
    if (!options.all && one.change == campaign::Change::same && report.configurations.size() > 40) {
      ++hidden;
      continue;
    }
    table.row({label(report, one), fmt::format("{}+{}", one.before_n, one.after_n),
               rate_text(one.before_median), rate_text(one.after_median), fmt::format("{:.3f}", one.ratio),
               fmt::format("{:.3f} to {:.3f}", one.low, one.high), fmt::format("{:.2g}", one.adjusted),
               std::string(name(one.change))});
  }
  if (!table.empty()) out.table(table);
  if (hidden > 0) out.print("... and {} that are the same; --all shows them\n", format_count(hidden));
  out.print("\n{}: {} faster, {} slower, {} the same, {} inconclusive\n", name(report.outcome), report.faster,
            report.slower, report.same, report.inconclusive);
  if (report.only_before + report.only_after > 0)
    out.print("{} configurations are in the first only, {} in the second only\n", report.only_before,
              report.only_after);
  if (report.left_out > 0)
    out.print("{} runs were left out (failed or disturbed)\n", format_count(report.left_out));
}

Result<int> compare(const Options& options, Output& out) {
  const auto before = open_campaign(options.before);
  if (!before) return before.error();
  const auto after = open_campaign(options.after);
  if (!after) return after.error();
  const auto report = campaign::compare_campaigns(before->store, before->number, after->store, after->number,
                                                  options.compare);
  if (!report) return report.error();
  if (options.json)
    out.json(report_json(*report));
  else
    print_report(*report, options, out);
  const bool no = report->outcome == campaign::Outcome::regression ||
                  (options.strict && report->outcome == campaign::Outcome::inconclusive);
  return no ? 1 : 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("A", options->before, "the campaign to compare with: DB, or DB#2")->required();
  app.add_option("B", options->after, "the campaign to judge")->required();
  app.add_option("--alpha", options->compare.alpha, "probability of a false alarm in the whole comparison")
      ->check(CLI::Range(1e-6, 0.5))
      ->capture_default_str();
  app.add_option("--tolerance", options->compare.tolerance, "changes within this share do not matter")
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
  app.add_flag("--strict", options->strict, "inconclusive counts as a regression");
  app.add_flag("--all-runs", options->compare.with_disturbed, "also runs that were disturbed");
  app.add_flag("--all", options->all, "every configuration, however many");
  add_json_flag(app, options->json);
  return [options](Output& out) { return compare(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir bench compare before.db after.db", "exit 1 when a configuration got slower"},
    Example{"weir bench compare runs.db#1 runs.db#2 --tolerance 0.1", "two campaigns of one store"},
};

}  // namespace

const Command kBenchCompare = {
    .name = "compare",
    .summary = "which configurations got slower or faster; exit 1 if one got slower",
    .examples = kExamples,
    .define = define,
    .notes =
        "Each configuration is tested by ranks, corrected for their number (Holm). One is 'same' when the "
        "interval of the ratio "
        "lies within the tolerance, and 'inconclusive' when it does not and the test finds nothing: more "
        "runs would tell.",
};

}  // namespace weir::cli
