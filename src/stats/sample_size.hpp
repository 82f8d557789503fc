#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "stats/dependence.hpp"
#include "stats/mixture.hpp"
#include "stats/quantile_error.hpp"
#include "stats/quantile_interval.hpp"

namespace weir::stats {

struct PlanOptions {
  std::vector<double> quantiles = {0.1, 0.9};
  double target = 0.02;                 // |Γ_q(n)| for every quantile
  std::vector<std::size_t> table = {};  // n to tabulate
  // Γ is a relative error: it changes when the data are shifted and has no bound where the quantile is 0.
  // Off: on the data's own scale. On: about the sample mean, as the source does.
  bool centered = false;
  double level = 0.95;  // of the intervals
  double dependence_alpha = 0.01;
  // Above 0: the model's intervals are calibrated with this many refits (calibrated_intervals()), at some
  // hundred milliseconds; 0: quantile ± 1.96 standard errors, which covers too little for mixtures of few
  // runs.
  std::size_t refits = 0;
  std::uint64_t seed = 1;
};

// The fewest runs ever advised (Xu et al., section 4: 30 to 40 runs for a pilot).
inline constexpr std::size_t kFewestRuns = 30;
// The answer when no number of runs reaches the target: the quantile is 0 on the chosen scale.
inline constexpr std::size_t kNoRuns = static_cast<std::size_t>(-1);

// The scaled standard error Γ_q(n) = standard error of the estimated quantile / quantile (eq. 14). Negative
// where the quantile is.
double scaled_error(const QuantileError& error, double centre, double n);

struct QuantilePlan {
  double q = 0;
  double quantile = 0;    // of the model, on the chosen scale
  double unit_error = 0;  // standard error of it from one independent run
  double gamma_now = 0;   // Γ at the effective number of runs there are
  double model_low = 0;   // interval of the quantile from the model at that number, on the data's own scale
  double model_high = 0;
  std::size_t needed = 0;  // independent runs for the target
  SampleQuantile sample;   // without the model, on the data's own scale
  std::size_t needed_without_model = 0;
  bool agrees = true;  // the model's quantile lies in the interval without the model
};

struct Plan {
  std::size_t n = 0;
  double centre = 0;  // subtracted from quantiles: the sample mean, or 0
  std::vector<QuantilePlan> quantiles;
  SampleQuantile median;
  Dependence dependence;
  std::size_t independent_runs = 0;  // for the target, if runs were independent; at least kFewestRuns
  std::size_t runs = 0;              // with dependence taken into account: this many to do
  double inflation = 1;              // runs that are worth one independent run
  double effective_n = 0;            // independent runs that the runs there are worth
  struct Row {
    std::size_t n = 0;
    std::vector<double> gamma;  // by quantile, for n independent runs
  };
  std::vector<Row> table;
  bool model_trusted = true;
  std::vector<std::string> notes;  // what a user should know before believing the numbers
};

// How many runs it takes to know the quantiles, from the runs there are (in run order) and a mixture fitted
// to them. Where runs depend on the ones before, each is worth less: `runs` takes the first-order figure
// (1+r)/(1-r), which is what more runs in the same manner need, and a note says where the level lasts so long
// that only separate sessions help. The table is for independent runs.
Result<Plan> plan_runs(std::span<const double> in_run_order, const Mixture& model,
                       const PlanOptions& options = {});

}  // namespace weir::stats
