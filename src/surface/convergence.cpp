#include "surface/convergence.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/interrupt.hpp"
#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"

namespace weir::surface {
namespace {

constexpr std::size_t kNamed = 5;  // configurations in a note

double quantile(std::vector<double>& values, double probability) {
  const double place = probability * static_cast<double>(values.size() - 1);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Widths by resampling scatter; the true ones fall. Pools neighbours that are out of order.
void make_falling(std::vector<double>& widths) {
  std::vector<std::pair<double, int>> blocks;
  for (const double width : widths) {
    blocks.emplace_back(width, 1);
    while (blocks.size() > 1 && blocks[blocks.size() - 2].first < blocks.back().first) {
      const auto [value, count] = blocks.back();
      blocks.pop_back();
      auto& [before, before_count] = blocks.back();
      before = (before * before_count + value * count) / (before_count + count);
      before_count += count;
    }
  }
  std::size_t next = 0;
  for (const auto& [value, count] : blocks)
    for (int i = 0; i < count; ++i) widths[next++] = value;
}

// The statistic of the first n values, for every n that is asked for. Deviations by Welford's updates.
void prefix_statistics(const std::vector<double>& drawn, const Statistic& statistic, int first,
                       std::vector<std::vector<double>>& by_n) {
  using Kind = Statistic::Kind;
  if (statistic.kind == Kind::quantile) {
    for (std::size_t k = 0; k < by_n.size(); ++k)
      by_n[k].push_back(statistic.of(std::span(drawn).first(static_cast<std::size_t>(first) + k)));
    return;
  }
  double mean = 0;
  double squares = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const double off = drawn[i] - mean;
    mean += off / static_cast<double>(i + 1);
    squares += off * (drawn[i] - mean);
    if (i + 1 < static_cast<std::size_t>(first)) continue;
    const double variance = squares / static_cast<double>(i);
    double value = std::sqrt(variance);
    if (statistic.kind == Kind::mean) value = mean;
    if (statistic.kind == Kind::variance) value = variance;
    if (statistic.kind == Kind::variation) value /= mean;
    by_n[i + 1 - static_cast<std::size_t>(first)].push_back(value);
  }
}

std::string note_on_alike(const std::vector<std::string>& configurations) {
  const std::size_t named = std::min(kNamed, configurations.size());
  const std::vector<std::string> first(configurations.begin(),
                                       configurations.begin() + static_cast<std::ptrdiff_t>(named));
  return fmt::format(
      "{} configurations whose runs are nearly all alike have no interval and are left out: {}{}",
      configurations.size(), fmt::join(first, "; "), configurations.size() > named ? "; ..." : "");
}

}  // namespace

IntervalCurve interval_curve(std::span<const double> runs, const Statistic& statistic,
                             const ConvergenceOptions& options, std::uint64_t stream) {
  Random random(options.seed, stream);
  std::vector<std::vector<double>> by_n(static_cast<std::size_t>(options.last - options.first + 1));
  std::vector<double> drawn(static_cast<std::size_t>(options.last));
  for (int b = 0; b < options.resamples; ++b) {
    for (double& value : drawn) value = runs[random.below(runs.size())];
    prefix_statistics(drawn, statistic, options.first, by_n);
  }
  IntervalCurve curve;
  for (std::vector<double>& values : by_n) {
    curve.high.push_back(quantile(values, (1 + options.level) / 2));
    curve.low.push_back(quantile(values, (1 - options.level) / 2));
    curve.width.push_back(curve.high.back() - curve.low.back());
  }
  make_falling(curve.width);
  return curve;
}

double converged_share(const std::vector<double>& widths, int first, int runs) {
  const double whole = widths.front() - widths.back();
  return (widths.front() - widths[static_cast<std::size_t>(runs - first)]) / whole;
}

int runs_to_reach(const std::vector<double>& widths, int first, double share) {
  if (!(widths.front() > widths.back())) return 0;
  for (std::size_t k = 0; k < widths.size(); ++k) {
    const int runs = first + static_cast<int>(k);
    if (converged_share(widths, first, runs) >= share) return runs;
  }
  return 0;
}

Result<MapConvergence> converge(const MapData& map, const ConvergenceOptions& options) {
  std::vector<Eigen::Index> rows;
  for (Eigen::Index i = 0; i < map.size(); ++i)
    if (map.runs[static_cast<std::size_t>(i)].size() >= 3) rows.push_back(i);
  if (rows.empty())
    return Error{Errc::bad_data, "not one configuration has 3 runs"}.with_remedy(
        "convergence takes single runs: --from-runs or --wide");
  std::vector<IntervalCurve> curves(rows.size());
  Progress progress("resampling", rows.size());
  parallel_for(
      rows.size(),
      [&](std::size_t i) {
        if (interrupted()) return;
        curves[i] = interval_curve(map.runs[static_cast<std::size_t>(rows[i])], map.statistic, options,
                                   static_cast<std::uint64_t>(rows[i]));
        progress.advance();
      },
      options.threads);
  if (auto on = check_interrupt(); !on) return on.error();
  MapConvergence found;
  std::vector<std::string> alike;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!(curves[i].width.back() > 0)) {
      alike.push_back(map.configuration(rows[i]));
      continue;
    }
    found.rows.push_back(rows[i]);
    found.measured.push_back(std::move(curves[i]));
  }
  if (found.rows.empty())
    return Error{Errc::bad_data, "the runs of every configuration are alike: there is no interval"};
  if (!alike.empty()) found.notes.push_back(note_on_alike(alike));
  return found;
}

}  // namespace weir::surface
