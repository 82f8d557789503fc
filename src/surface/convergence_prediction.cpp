#include "surface/convergence_prediction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/interrupt.hpp"
#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"
#include "surface/gp/gaussian.hpp"
#include "surface/validation.hpp"

namespace weir::surface {
namespace {

constexpr int kOracles = 20;  // samples of each configuration behind the floor

using Curves = std::vector<std::vector<double>>;  // by row, then by step

// What surfaces are fitted with, and to which rows.
struct Fitting {
  MapData map;  // a row for each curve
  std::vector<Eigen::Index> train;
  Method method;
  const ModelOptions& model;
  unsigned threads;
};

// A surface for each step through the values of the curves there, at the queries. Scales and a process's
// settings are found for the first step and kept for the others, which differ little.
Result<Curves> predict_curves(const Fitting& fitting, const Curves& curves, const Eigen::MatrixXd& queries) {
  const std::size_t steps = curves.front().size();
  const auto with_values = [&](std::size_t step) {
    MapData data = fitting.map;
    for (std::size_t i = 0; i < curves.size(); ++i)
      data.value[static_cast<Eigen::Index>(i)] = curves[i][step];
    return data;
  };
  ModelOptions same = fitting.model;
  const bool positive = std::all_of(curves.begin(), curves.end(), [](const std::vector<double>& curve) {
    return *std::min_element(curve.begin(), curve.end()) > 0;
  });
  if (!positive) same.log_value = false;
  const auto start = Model::fit(with_values(0), fitting.method, same, fitting.train);
  if (!start) return start.error();
  if (auto defined = start->scaling().check(fitting.map.factors, queries); !defined) return defined.error();
  same.log_value = start->scaling().log_value();
  same.geometric_in_log = start->scaling().geometric_in_log();
  if (const auto* process = dynamic_cast<const Gaussian*>(&start->predictor()))
    same.method.settings = process->settings().numbers();
  Curves made(static_cast<std::size_t>(queries.rows()), std::vector<double>(steps));
  std::vector<std::string> failed(steps);
  Progress progress("predicting intervals", steps);
  parallel_for(
      steps,
      [&](std::size_t step) {
        if (interrupted()) return;
        const auto fitted = Model::fit(with_values(step), fitting.method, same, fitting.train);
        if (!fitted) {
          failed[step] = fitted.error().text();
          return;
        }
        const Eigen::VectorXd values = fitted->predict(queries);
        for (std::size_t i = 0; i < made.size(); ++i) made[i][step] = values[static_cast<Eigen::Index>(i)];
        progress.advance();
      },
      fitting.threads);
  if (auto on = check_interrupt(); !on) return on.error();
  for (const std::string& why : failed)
    if (!why.empty()) return Error{Errc::bad_data, why};
  return made;
}

Curves curves_of(const MapConvergence& convergence, std::vector<double> IntervalCurve::*part) {
  Curves all;
  for (const IntervalCurve& curve : convergence.measured) all.push_back(curve.*part);
  return all;
}

// Those steps of the curves.
Curves at_steps(const Curves& curves, const std::vector<std::size_t>& steps) {
  Curves part;
  for (const std::vector<double>& curve : curves) {
    auto& one = part.emplace_back();
    for (const std::size_t step : steps) one.push_back(curve[step]);
  }
  return part;
}

// The mean of relative errors, in percent.
class MeanError {
 public:
  void add(double value, double truth) {
    if (truth == 0 || !std::isfinite(value) || !std::isfinite(truth)) return;
    sum_ += std::abs((value - truth) / truth);
    ++count_;
  }
  double percent() const {
    return count_ > 0 ? 100 * sum_ / count_ : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  double sum_ = 0;
  int count_ = 0;
};

// The intervals that other measurements of the same distributions would give: as many runs drawn from those
// measured stand for one.
std::vector<std::vector<IntervalCurve>> oracles(const MapConvergence& convergence, const MapData& map,
                                                const std::vector<std::size_t>& places,
                                                const ConvergenceOptions& options) {
  std::vector<std::vector<IntervalCurve>> all(places.size());
  Progress progress("resampling intervals", places.size());
  parallel_for(
      places.size(),
      [&](std::size_t i) {
        const auto row = static_cast<std::size_t>(convergence.rows[places[i]]);
        Random random(options.seed + 1, row);
        std::vector<double> drawn(map.runs[row].size());
        for (int b = 0; b < kOracles && !interrupted(); ++b) {
          for (double& value : drawn) value = map.runs[row][random.below(drawn.size())];
          all[i].push_back(
              interval_curve(drawn, map.statistic, options, random.below(std::uint64_t{1} << 62)));
        }
        progress.advance();
      },
      options.threads);
  return all;
}

}  // namespace

Result<HeldOutConvergence> predict_held_out(const MapConvergence& convergence, const MapData& map,
                                            double train_share, Method method, const ModelOptions& model,
                                            const std::vector<int>& scored_at,
                                            const ConvergenceOptions& options) {
  const auto split =
      random_splits(static_cast<Eigen::Index>(convergence.rows.size()), train_share, 1, options.seed);
  if (!split) return split.error();
  const Fitting fitting{.map = take_rows(map, convergence.rows),
                        .train = split->front().train,
                        .method = method,
                        .model = model,
                        .threads = options.threads};
  HeldOutConvergence held;
  for (const Eigen::Index place : split->front().test) held.places.push_back(static_cast<std::size_t>(place));
  const Eigen::MatrixXd queries = fitting.map.at(split->front().test, Eigen::all);
  auto widths = predict_curves(fitting, curves_of(convergence, &IntervalCurve::width), queries);
  if (!widths) return widths.error();
  held.widths = *std::move(widths);
  if (scored_at.empty()) return held;

  std::vector<std::size_t> steps;
  for (const int runs : scored_at) steps.push_back(static_cast<std::size_t>(runs - options.first));
  for (const int runs : scored_at) held.scores.push_back({.runs = runs, .predicted = {}, .floor = {}});
  const auto drawn = oracles(convergence, map, held.places, options);
  if (auto on = check_interrupt(); !on) return on.error();
  struct Part {
    std::vector<double> IntervalCurve::*curve;
    double IntervalError::*error;
  };
  for (const Part part :
       {Part{&IntervalCurve::width, &IntervalError::width}, Part{&IntervalCurve::low, &IntervalError::low},
        Part{&IntervalCurve::high, &IntervalError::high}}) {
    const bool width = part.curve == &IntervalCurve::width;
    auto predicted =
        width ? Result<Curves>(at_steps(held.widths, steps))
              : predict_curves(fitting, at_steps(curves_of(convergence, part.curve), steps), queries);
    if (!predicted) return predicted.error();
    for (std::size_t s = 0; s < steps.size(); ++s) {
      MeanError error;
      MeanError floor;
      for (std::size_t i = 0; i < held.places.size(); ++i) {
        const double measured = (convergence.measured[held.places[i]].*part.curve)[steps[s]];
        error.add((*predicted)[i][s], measured);
        for (const IntervalCurve& other : drawn[i]) floor.add(measured, (other.*part.curve)[steps[s]]);
      }
      held.scores[s].predicted.*part.error = error.percent();
      held.scores[s].floor.*part.error = floor.percent();
    }
  }
  return held;
}

Result<std::vector<std::vector<double>>> predict_widths(const MapConvergence& convergence, const MapData& map,
                                                        const Eigen::MatrixXd& at, Method method,
                                                        const ModelOptions& model,
                                                        const ConvergenceOptions& options) {
  const Fitting fitting{.map = take_rows(map, convergence.rows),
                        .train = {},
                        .method = method,
                        .model = model,
                        .threads = options.threads};
  return predict_curves(fitting, curves_of(convergence, &IntervalCurve::width), at);
}

}  // namespace weir::surface
