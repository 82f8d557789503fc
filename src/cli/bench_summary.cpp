#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/json.hpp"
#include "cli/bench.hpp"
#include "stats/quantile_interval.hpp"

namespace weir::cli {
namespace {

// The median of one configuration with its 95 % interval.
struct Middle {
  std::size_t n = 0;
  double median = std::nan(""), low = std::nan(""), high = std::nan("");
};

Middle middle_of(std::vector<double> values) {
  Middle middle{.n = values.size()};
  if (values.empty()) return middle;
  std::ranges::sort(values);
  const auto interval = stats::sample_quantile(values, 0.5);
  middle.median = interval.estimate;
  middle.low = interval.low;
  middle.high = interval.high;
  return middle;
}

struct Line {
  campaign::ConfigurationSummary summary;
  Middle middle;
};

Result<std::vector<Line>> lines_of(const OpenedCampaign& opened) {
  auto summaries = opened.store.summary(opened.number);
  if (!summaries) return summaries.error();
  auto values = opened.store.throughputs(opened.number);
  if (!values) return values.error();
  std::vector<Line> lines;
  for (campaign::ConfigurationSummary& summary : *summaries) {
    const auto at = static_cast<std::size_t>(summary.configuration);
    lines.push_back({std::move(summary), at < values->size() ? middle_of((*values)[at]) : Middle{}});
  }
  return lines;
}

// Factors that take one level only say nothing in a table.
std::vector<std::size_t> varying(const std::vector<Line>& lines, std::size_t factors) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < factors; ++i)
    if (std::ranges::any_of(
            lines, [&](const Line& line) { return line.summary.levels[i] != lines[0].summary.levels[i]; }))
      found.push_back(i);
  return found;
}

std::string interval_text(const Middle& middle) {
  if (!std::isfinite(middle.low) || !std::isfinite(middle.high)) return "-";
  return fmt::format("{} to {}", rate_text(middle.low), rate_text(middle.high));
}

}  // namespace

void print_summary(const OpenedCampaign& opened, std::size_t most, Output& out) {
  const auto lines = lines_of(opened);
  if (!lines) {
    out.print("{}\n", lines.error().text());
    return;
  }
  if (lines->empty()) {
    out.print("no configuration\n");
    return;
  }
  const auto factors = varying(*lines, opened.facts.factors.size());
  std::vector<Table::Column> columns;
  for (const std::size_t i : factors) columns.push_back({opened.facts.factors[i], Table::shrinks});
  if (columns.empty()) columns.push_back({"configuration"});
  for (const char* title : {"runs", "median", "95 % interval", "spread", "disturbed", "failed"})
    columns.push_back({title, Table::right});
  Table table(columns);
  for (std::size_t at = 0; at < std::min(most, lines->size()); ++at) {
    const Line& line = (*lines)[at];
    std::vector<std::string> cells;
    for (const std::size_t i : factors) cells.push_back(line.summary.levels[i]);
    if (factors.empty()) cells.emplace_back("all");
    cells.push_back(format_count(line.summary.ok));
    cells.push_back(rate_text(line.middle.median));
    cells.push_back(interval_text(line.middle));
    cells.push_back(line.summary.mean > 0
                        ? fmt::format("{:.1f} %", 100 * line.summary.deviation / line.summary.mean)
                        : "-");
    cells.push_back(format_count(line.summary.disturbed));
    cells.push_back(format_count(line.summary.failed));
    table.row(cells);
  }
  out.table(table);
  if (lines->size() > most)
    out.print("... and {} more configurations; --all shows them\n", format_count(lines->size() - most));
}

Json summary_json(const OpenedCampaign& opened) {
  Json configurations = Json::array();
  const auto lines = lines_of(opened);
  if (!lines) return configurations;
  for (const Line& line : *lines) {
    Json key = Json::object();
    for (std::size_t i = 0; i < opened.facts.factors.size(); ++i)
      key[opened.facts.factors[i]] = line.summary.levels[i];
    configurations.push_back({{"key", std::move(key)},
                              {"ok", line.summary.ok},
                              {"disturbed", line.summary.disturbed},
                              {"failed", line.summary.failed},
                              {"throughput_bytes_per_s",
                               {{"median", json_number(line.middle.median)},
                                {"median_low", json_number(line.middle.low)},
                                {"median_high", json_number(line.middle.high)},
                                {"mean", json_number(line.summary.mean)},
                                {"deviation", json_number(line.summary.deviation)},
                                {"least", json_number(line.summary.least)},
                                {"greatest", json_number(line.summary.greatest)}}}});
  }
  return configurations;
}

}  // namespace weir::cli
