#include "stats/detail/em_ladder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <time.h>

#include "stats/detail/em_run.hpp"
#include "stats/detail/standard_errors.hpp"

namespace weir::stats::detail {

namespace {

constexpr int kWarmUp = 5;
constexpr int kPlain = 40;       // iterations of plain EM from k-means before it is followed in strides
constexpr int kStartsOfTwo = 6;  // more of them end where these do

// Runs taken to their maximum beside k-means, by k. All of two components: they are cheap, and every larger
// fit grows from them.
std::size_t finished_beside(int k) {
  return k == 2 ? static_cast<std::size_t>(kStartsOfTwo) : k == 3 ? 4 : 2;
}

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The least scale, in the units a family's scale has: of x for normal, of log x for the others.
double floor_of(const PreparedSample& sample, Family family, const EmOptions& options) {
  return options.floor * (family == Family::normal ? sample.breadth() : sample.log_breadth());
}

// The floor on the scale becomes a cap on the sharpness, which counts in standard deviations.
RunLimits run_limits(const PreparedSample& sample, Family family, const EmOptions& options) {
  RunLimits limits;
  const double least = floor_of(sample, family, options);
  if (family == Family::gamma)
    limits.step.cap = 1 / (least * least);
  else
    limits.step.cap = (family == Family::normal ? sample.spread() : sample.log_spread()) / least;
  limits.step.weight_sum = sample.weight_sum();
  limits.tolerance = options.tolerance;
  limits.max_iterations = options.max_iterations;
  return limits;
}

bool on_the_cap(double sharpness, const StepLimits& limits) { return sharpness >= limits.cap * (1 - 1e-9); }

std::vector<State> make_starts(const PreparedSample& sample, const StartPlan& plan, Family family, int k,
                               const State& parent, double cap, const EmOptions& options) {
  std::vector<State> starts;
  const auto enough = [&] { return static_cast<int>(starts.size()) >= options.starts; };
  const auto add = [&](const Cuts& cuts, bool maximised) {
    starts.push_back(state_from_cuts(sample, family, cuts, cap));
    if (maximised) maximise_runs(sample, family, cuts, cap, starts.back());
  };
  add(plan.kmeans(k), true);
  if (!enough()) add(plan.lloyd(k).empty() ? plan.quantiles(k) : plan.lloyd(k), !plan.lloyd(k).empty());
  if (!enough()) add(plan.gaps(k), false);
  std::vector<int> heaviest(static_cast<std::size_t>(parent.components));
  std::iota(heaviest.begin(), heaviest.end(), 0);
  std::stable_sort(heaviest.begin(), heaviest.end(), [&](int a, int b) {
    return parent.weight[static_cast<std::size_t>(a)] > parent.weight[static_cast<std::size_t>(b)];
  });
  for (const int j : heaviest)
    for (const Split how : {Split::inside, Split::beside})
      if (!enough()) starts.push_back(split_component(family, parent, j, how, cap));
  Random random(options.seed, static_cast<std::uint64_t>(family) * 16 + static_cast<std::uint64_t>(k));
  const int most = k == 2 ? std::min(options.starts, kStartsOfTwo) : options.starts;
  while (static_cast<int>(starts.size()) < most) add(random_cuts(sample, k, random), false);
  return starts;
}

// Short runs from every start, then each to its maximum in order of promise, unless it cannot win any more
// (Biernacki, Celeux and Govaert, 2003). The first run is k-means.
std::vector<EmRun> compete(const Workbench& bench, Family family, int k, const State& parent,
                           const RunLimits& limits, const EmOptions& options) {
  const PreparedSample& sample = bench.scout();
  std::vector<EmRun> runs;
  if (k == 1) {
    runs.emplace_back(sample, family, state_from_cuts(sample, family, {}, limits.step.cap), limits);
    runs.back().finish();
    return runs;
  }
  // k-means goes first, whatever it promises; both kinds of it. The kind most programs start EM from follows
  // EM's own course, so as not to end below the maximum they find.
  const std::size_t always = bench.plan().lloyd(k).empty() || options.starts < 2 ? 1 : 2;
  for (const State& start : make_starts(sample, bench.plan(), family, k, parent, limits.step.cap, options)) {
    runs.emplace_back(sample, family, start, limits);
    if (runs.size() > always) runs.back().warm_up(kWarmUp);
  }
  std::vector<std::size_t> ranking(runs.size());
  std::iota(ranking.begin(), ranking.end(), std::size_t{0});
  std::sort(ranking.begin() + static_cast<std::ptrdiff_t>(always), ranking.end(),
            [&](std::size_t a, std::size_t b) {
              if (runs[a].log_likelihood() != runs[b].log_likelihood())
                return runs[a].log_likelihood() > runs[b].log_likelihood();
              return a < b;
            });
  double to_beat = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < runs.size() && i < always + finished_beside(k); ++i) {
    EmRun& run = runs[ranking[i]];
    if (i + 1 == always) {
      run.follow(kPlain);
    } else {
      if (i < always) run.warm_up(kWarmUp);
      run.finish(to_beat);
    }
    if (run.finished()) to_beat = std::max(to_beat, run.log_likelihood());
  }
  return runs;
}

// The finished run with the highest likelihood.
std::size_t best_of(const std::vector<EmRun>& runs) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < runs.size(); ++i)
    if (runs[i].finished() && runs[i].log_likelihood() > runs[best].log_likelihood()) best = i;
  return best;
}

}  // namespace

Workbench::Workbench(PreparedSample sample, int max_components)
    : sample_(std::move(sample)),
      scout_(sample_.distinct() > 2 * kScoutEntries ? std::optional(sample_.thinned(kScoutEntries))
                                                    : std::nullopt),
      plan_(scout(), max_components) {}

std::optional<Error> wrong_options(int max_components, const EmOptions& options) {
  if (max_components < 1 || max_components > kMostComponents)
    return Error{Errc::usage, fmt::format("{} components; give 1 to {}", max_components, kMostComponents)};
  if (options.starts < 1)
    return Error{Errc::usage, fmt::format("{} starts; give at least 1", options.starts)};
  if (options.max_iterations < 1)
    return Error{Errc::usage, fmt::format("{} iterations; give at least 1", options.max_iterations)};
  if (!(options.tolerance > 0))
    return Error{Errc::usage, fmt::format("tolerance {}; give one above 0", options.tolerance)};
  if (!(options.floor > 0 && options.floor < 1))
    return Error{Errc::usage,
                 fmt::format("scale floor {}; give a share of the spread between 0 and 1", options.floor)};
  return std::nullopt;
}

std::optional<Error> unfit(const PreparedSample& sample, Family family) {
  if (family == Family::gev || family == Family::gumbel)
    return Error{Errc::usage, fmt::format("no mixtures of {}", name(family))};
  if (positive_only(family) && !sample.positive())
    return Error{Errc::bad_data,
                 fmt::format("{} needs values above 0; the least is {}", name(family), sample.value(0))};
  if (const std::string reason = too_few(sample, 1); !reason.empty()) return Error{Errc::bad_data, reason};
  return std::nullopt;
}

std::string too_few(const PreparedSample& sample, int components) {
  const auto k = static_cast<std::size_t>(components);
  if (sample.total() < 3 * k - 1)
    return fmt::format("{} values are fewer than the {} parameters of {} components", sample.total(),
                       3 * k - 1, k);
  if (sample.distinct() < k)
    return fmt::format("{} distinct values are fewer than {} components", sample.distinct(), k);
  return {};
}

std::vector<MixtureFit> fit_ladder(const Workbench& bench, Family family, int max_components,
                                   const EmOptions& options) {
  const PreparedSample& sample = bench.sample();
  const RunLimits limits = run_limits(sample, family, options);
  std::vector<MixtureFit> fits;
  State parent;
  for (int k = 1; k <= max_components && too_few(sample, k).empty(); ++k) {
    const double began = thread_seconds();
    std::vector<EmRun> runs = compete(bench, family, k, parent, limits, options);
    int starts = static_cast<int>(runs.size());
    int total_iterations = 0;
    for (const EmRun& run : runs) total_iterations += run.iterations();
    std::size_t best = best_of(runs);
    auto winner = static_cast<int>(best);
    if (bench.large()) {
      // The stand-in's winner and its k-means run go on with the whole sample.
      std::vector<EmRun> whole;
      for (const std::size_t from : {std::size_t{0}, best}) {
        if (from == 0 && best == 0 && !whole.empty()) continue;
        whole.emplace_back(sample, family, runs[from].state(), limits);
        whole.back().finish();
        total_iterations += whole.back().iterations();
      }
      runs = std::move(whole);
      best = best_of(runs);
      if (best == 0) winner = 0;
    }
    const EmRun& run = runs[best];
    parent = run.state();

    MixtureFit fit;
    std::vector<std::size_t> order;
    const double jacobian = sample.log_jacobian(family);
    fit.mixture = to_mixture(sample, family, parent, order);
    fit.n = sample.total();
    fit.distinct = sample.distinct();
    fit.log_likelihood = run.log_likelihood() - jacobian;
    fit.kmeans_log_likelihood = runs.front().log_likelihood() - jacobian;
    fit.winner = winner;
    fit.iterations = run.iterations();
    fit.starts = starts;
    fit.total_iterations = total_iterations;
    fit.converged = run.converged();
    fit.floor = floor_of(sample, family, options);
    for (std::size_t j = 0; j < static_cast<std::size_t>(k); ++j)
      fit.floor_hit = fit.floor_hit || on_the_cap(parent.sharpness[j], limits.step);
    fit.path.reserve(run.path().size());
    for (const double value : run.path()) fit.path.push_back(value - jacobian);
    if (options.standard_errors) fit.errors = standard_errors(sample, family, parent, order, limits.step);
    fit.seconds = thread_seconds() - began;
    fits.push_back(std::move(fit));
  }
  return fits;
}

Mixture refit(const Workbench& bench, const Mixture& near, const EmOptions& options) {
  const PreparedSample& sample = bench.sample();
  const RunLimits limits = run_limits(sample, near.family, options);
  const auto k = static_cast<int>(near.components.size());
  std::vector<EmRun> runs;
  runs.emplace_back(sample, near.family, state_from_mixture(sample, near, limits.step.cap), limits);
  if (k > 1 && too_few(sample, k).empty() && !bench.large())
    runs.emplace_back(sample, near.family,
                      state_from_cuts(sample, near.family, bench.plan().kmeans(k), limits.step.cap), limits);
  for (EmRun& run : runs) {
    run.warm_up(kWarmUp);
    run.finish();
  }
  std::vector<std::size_t> order;
  return to_mixture(sample, near.family, runs[best_of(runs)].state(), order);
}

State state_from_mixture(const PreparedSample& sample, const Mixture& mixture, double cap) {
  State state;
  state.components = static_cast<int>(mixture.components.size());
  for (std::size_t j = 0; j < mixture.components.size(); ++j) {
    const auto& [weight, parameters] = mixture.components[j];
    state.weight[j] = weight;
    switch (mixture.family) {
      case Family::normal:
        state.centre[j] = (parameters.location - sample.mean()) / sample.spread();
        state.sharpness[j] = sample.spread() / parameters.scale;
        break;
      case Family::gamma:
        state.centre[j] = parameters.location * parameters.scale / sample.mean();
        state.sharpness[j] = parameters.location;
        break;
      default:
        state.centre[j] = (parameters.location - sample.log_mean()) / sample.log_spread();
        if (mixture.family == Family::frechet) state.centre[j] = -state.centre[j];
        state.sharpness[j] = sample.log_spread() / parameters.scale;
    }
    state.sharpness[j] = std::min(state.sharpness[j], cap);
  }
  return state;
}

Mixture to_mixture(const PreparedSample& sample, Family family, const State& state,
                   std::vector<std::size_t>& order) {
  Mixture mixture;
  mixture.family = family;
  const auto k = static_cast<std::size_t>(state.components);
  std::vector<Component> components(k);
  std::vector<double> medians(k);
  for (std::size_t j = 0; j < k; ++j) {
    Component& c = components[j];
    c.weight = state.weight[j];
    const double width = 1 / state.sharpness[j];
    switch (family) {
      case Family::normal:
        c.parameters = {sample.mean() + sample.spread() * state.centre[j], sample.spread() * width, 0};
        break;
      case Family::gamma:
        c.parameters = {state.sharpness[j], sample.mean() * state.centre[j] * width, 0};
        break;
      case Family::frechet:
        c.parameters = {sample.log_mean() - sample.log_spread() * state.centre[j],
                        sample.log_spread() * width, 0};
        break;
      default:
        c.parameters = {sample.log_mean() + sample.log_spread() * state.centre[j],
                        sample.log_spread() * width, 0};
    }
    medians[j] = quantile(family, c.parameters, 0.5);
  }
  order.resize(k);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return medians[a] != medians[b] ? medians[a] < medians[b] : state.weight[a] > state.weight[b];
  });
  for (const std::size_t j : order) mixture.components.push_back(components[j]);
  return mixture;
}

}  // namespace weir::stats::detail
