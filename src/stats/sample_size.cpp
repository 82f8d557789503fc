#include "stats/sample_size.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <boost/math/distributions/normal.hpp>
#include <fmt/format.h>

namespace weir::stats {
namespace {

// The smallest n with |error_1/x|/sqrt(n) <= target, at least kFewestRuns.
std::size_t runs_for(double relative_unit_error, double target) {
  const double ratio = relative_unit_error / target;
  const double needed = std::ceil(ratio * ratio * (1 - 1e-12));
  if (!(needed < 1e15)) return kNoRuns;
  return std::max(kFewestRuns, static_cast<std::size_t>(needed));
}

void add_notes(const PlanOptions& options, Plan& plan) {
  if (plan.dependence.order_lost)
    plan.notes.emplace_back(
        "the values come sorted: their run order is lost, and runs are taken as independent");
  if (plan.dependence.dependent)
    plan.notes.push_back(fmt::format(
        "runs depend on the ones before (lag-1 autocorrelation {:.2f}, p {:.1g}): {} runs are worth {:.0f} "
        "independent ones, and {:.1f} times as many are needed",
        plan.dependence.lag_one, plan.dependence.p_value, plan.n, plan.effective_n, plan.inflation));
  if (plan.dependence.inflation > 3 * plan.dependence.first_order_inflation)
    plan.notes.push_back(fmt::format(
        "the level lasts over many runs: taken in one go, {:.0f} are worth one independent run; spread "
        "them over separate sessions",
        plan.dependence.inflation));
  for (const QuantilePlan& quantile : plan.quantiles) {
    if (!quantile.agrees) {
      plan.model_trusted = false;
      plan.notes.push_back(
          fmt::format("do not trust the model at q = {}: its quantile lies outside the interval {:.6g} .. "
                      "{:.6g} that holds "
                      "without a model",
                      quantile.q, quantile.sample.low, quantile.sample.high));
    }
    if (quantile.needed == kNoRuns)
      plan.notes.push_back(
          fmt::format("the quantile at q = {} is 0 on this scale: no number of runs gives a "
                      "relative error of {}{}",
                      quantile.q, options.target, options.centered ? "; plan without centring" : ""));
  }
  if (plan.n < kFewestRuns)
    plan.notes.push_back(fmt::format("{} runs are few for a model; do {} first", plan.n, kFewestRuns));
}

}  // namespace

double scaled_error(const QuantileError& error, double centre, double n) {
  return error.standard_error(n) / (error.quantile - centre);
}

Result<Plan> plan_runs(std::span<const double> in_run_order, const Mixture& model,
                       const PlanOptions& options) {
  if (in_run_order.empty()) return Error{Errc::bad_data, "no runs to plan from"};
  if (!(options.target > 0))
    return Error{Errc::usage, fmt::format("a precision of {} is not above 0", options.target)};
  if (options.quantiles.empty()) return Error{Errc::usage, "no quantiles to plan for"};
  if (!(options.level > 0 && options.level < 1))
    return Error{Errc::usage, fmt::format("a confidence level of {} is not between 0 and 1", options.level)};
  const auto errors = quantile_errors(model, options.quantiles);
  if (!errors) return errors.error();

  Plan plan;
  plan.n = in_run_order.size();
  plan.dependence = test_dependence(in_run_order, options.dependence_alpha);
  plan.inflation = plan.dependence.first_order_inflation;
  plan.effective_n = static_cast<double>(plan.n) / plan.inflation;
  std::vector<double> sorted(in_run_order.begin(), in_run_order.end());
  std::sort(sorted.begin(), sorted.end());
  if (options.centered)
    plan.centre = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size());
  plan.median = sample_quantile(sorted, 0.5, options.level);
  const double reach = boost::math::quantile(boost::math::normal(), 0.5 + 0.5 * options.level);

  for (const QuantileError& error : *errors) {
    QuantilePlan quantile;
    quantile.q = error.q;
    quantile.quantile = error.quantile - plan.centre;
    quantile.unit_error = error.unit_error;
    quantile.gamma_now = scaled_error(error, plan.centre, plan.effective_n);
    const double margin = reach * error.standard_error(plan.effective_n);
    quantile.model_low = error.quantile - margin;
    quantile.model_high = error.quantile + margin;
    quantile.needed = runs_for(std::abs(error.unit_error / quantile.quantile), options.target);
    quantile.sample = sample_quantile(sorted, error.q, options.level);
    const double unit = quantile.sample.standard_error * std::sqrt(static_cast<double>(plan.n));
    quantile.needed_without_model =
        runs_for(std::abs(unit / (quantile.sample.estimate - plan.centre)), options.target);
    quantile.agrees = error.quantile >= quantile.sample.low && error.quantile <= quantile.sample.high;
    plan.independent_runs = std::max(plan.independent_runs, quantile.needed);
    plan.quantiles.push_back(quantile);
  }
  if (options.refits > 0) {
    const auto effective = static_cast<std::size_t>(std::max(2.0, plan.effective_n));
    const auto intervals = calibrated_intervals(model, effective, options.quantiles, options.level,
                                                options.refits, options.seed);
    if (!intervals) return intervals.error();
    for (std::size_t i = 0; i < plan.quantiles.size(); ++i) {
      plan.quantiles[i].model_low = (*intervals)[i].low;
      plan.quantiles[i].model_high = (*intervals)[i].high;
    }
  }
  plan.runs = plan.independent_runs;
  if (plan.runs != kNoRuns)
    plan.runs = static_cast<std::size_t>(std::ceil(static_cast<double>(plan.runs) * plan.inflation));
  for (const std::size_t n : options.table) {
    if (n == 0) return Error{Errc::usage, "0 runs determine nothing; tabulate from 1"};
    Plan::Row row{n, {}};
    for (const QuantileError& error : *errors)
      row.gamma.push_back(scaled_error(error, plan.centre, static_cast<double>(n)));
    plan.table.push_back(std::move(row));
  }
  add_notes(options, plan);
  return plan;
}

}  // namespace weir::stats
