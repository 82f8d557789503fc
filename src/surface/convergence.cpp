#include "surface/convergence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "surface/gp/gaussian.hpp"
#include "surface/validation.hpp"

namespace weir::surface {
namespace {

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

}  // namespace

std::vector<double> interval_widths(std::span<const double> runs, const Statistic& statistic,
                                    const ConvergenceOptions& options, std::uint64_t stream) {
  Random random(options.seed, stream);
  std::vector<std::vector<double>> by_n(static_cast<std::size_t>(options.last - options.first + 1));
  std::vector<double> drawn(static_cast<std::size_t>(options.last));
  for (int b = 0; b < options.resamples; ++b) {
    for (double& value : drawn) value = runs[random.below(runs.size())];
    prefix_statistics(drawn, statistic, options.first, by_n);
  }
  std::vector<double> widths;
  for (std::vector<double>& values : by_n) {
    const double high = quantile(values, (1 + options.level) / 2);
    widths.push_back(high - quantile(values, (1 - options.level) / 2));
  }
  make_falling(widths);
  return widths;
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

double MapConvergence::width_error_percent(int first, int runs) const {
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < held_out.size(); ++i) {
    const auto n = static_cast<std::size_t>(runs - first);
    const double truth = measured[held_out[i]][n];
    if (!(truth > 0)) continue;
    sum += std::abs(predicted[i][n] - truth) / truth;
    ++count;
  }
  return count > 0 ? 100 * sum / count : std::numeric_limits<double>::quiet_NaN();
}

Result<MapConvergence> converge(const MapData& map, const ConvergenceOptions& options) {
  MapConvergence found;
  for (Eigen::Index i = 0; i < map.size(); ++i)
    if (map.runs[static_cast<std::size_t>(i)].size() >= 3) found.rows.push_back(i);
  if (found.rows.empty())
    return Error{Errc::bad_data, "not one configuration has 3 runs"}.with_remedy(
        "convergence takes single runs: --from-runs or --wide");
  found.measured.resize(found.rows.size());
  parallel_for(
      found.rows.size(),
      [&](std::size_t i) {
        found.measured[i] = interval_widths(map.runs[static_cast<std::size_t>(found.rows[i])], map.statistic,
                                            options, static_cast<std::uint64_t>(found.rows[i]));
      },
      options.threads);
  return found;
}

Result<void> predict_convergence(MapConvergence& convergence, const MapData& map, double train_share,
                                 Method method, const ModelOptions& model,
                                 const ConvergenceOptions& options) {
  const auto n = static_cast<Eigen::Index>(convergence.rows.size());
  const auto split = random_splits(n, train_share, 1, options.seed);
  if (!split) return split.error();
  for (const Eigen::Index place : split->front().test)
    convergence.held_out.push_back(static_cast<std::size_t>(place));
  MapData widths = take_rows(map, convergence.rows);
  const Eigen::MatrixXd queries = widths.at(split->front().test, Eigen::all);
  const std::size_t steps = convergence.measured.front().size();
  convergence.predicted.assign(convergence.held_out.size(), std::vector<double>(steps));

  // Scales and a process's settings are found for the first width and kept for the others, which differ
  // little.
  const auto set_values = [&](MapData& data, std::size_t step) {
    for (Eigen::Index i = 0; i < n; ++i)
      data.value[i] = convergence.measured[static_cast<std::size_t>(i)][step];
  };
  set_values(widths, 0);
  const auto start = Model::fit(widths, method, model, split->front().train);
  if (!start) return start.error();
  ModelOptions same = model;
  same.log_value = start->scaling().log_value();
  same.geometric_in_log = start->scaling().geometric_in_log();
  if (const auto* process = dynamic_cast<const Gaussian*>(&start->predictor()))
    same.method.settings = process->settings().numbers();
  std::vector<std::string> failed(steps);
  parallel_for(
      steps,
      [&](std::size_t step) {
        MapData data = widths;
        set_values(data, step);
        if (data.value.minCoeff() <= 0) {
          failed[step] = "a configuration whose runs are all alike has no interval to predict";
          return;
        }
        const auto fitted = Model::fit(data, method, same, split->front().train);
        if (!fitted) {
          failed[step] = fitted.error().text();
          return;
        }
        const Eigen::VectorXd made = fitted->predict(queries);
        for (Eigen::Index i = 0; i < made.size(); ++i)
          convergence.predicted[static_cast<std::size_t>(i)][step] = made[i];
      },
      options.threads);
  for (const std::string& why : failed)
    if (!why.empty()) return Error{Errc::bad_data, why};
  return {};
}

}  // namespace weir::surface
