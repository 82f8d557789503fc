// How often 95 % intervals for the 0.1 and 0.9 quantiles hold the truth. For each of the 17 samples of 10200
// runs the truth is the whole sample's quantile; intervals come from random subsets of 150 runs, once from
// order statistics and once from a mixture model (family and components chosen by BIC over ten subsets, then
// fixed). The same model is also checked on data drawn from itself, where only the method can fail; where it
// does, intervals calibrated by refits are checked too, on a tenth as many samples.
//   quantile_coverage [SUBSETS = 2000] [FILE]
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "stats/em.hpp"
#include "stats/quantile_error.hpp"
#include "stats/quantile_interval.hpp"
#include "stats/sample_file.hpp"

namespace {

using namespace weir;
using namespace weir::stats;

constexpr std::size_t kRuns = 150;
constexpr std::array kQuantiles{0.1, 0.9};
constexpr double kReach = 1.959963984540054;

std::vector<double> subset(std::vector<double>& pool, Random& random) {
  for (std::size_t i = 0; i < kRuns; ++i) std::swap(pool[i], pool[i + random.below(pool.size() - i)]);
  std::vector<double> chosen(pool.begin(), pool.begin() + kRuns);
  return chosen;
}

EmOptions quick() {
  EmOptions options;
  options.starts = 3;
  options.standard_errors = false;
  return options;
}

struct Choice {
  Family family = Family::normal;
  int components = 1;
};

Choice choose(const std::vector<double>& values) {
  Choice best;
  double least = INFINITY;
  std::vector<double> pool = values;
  Random random(11);
  std::vector<std::vector<double>> subsets;
  subsets.reserve(10);
  for (int i = 0; i < 10; ++i) subsets.push_back(subset(pool, random));
  for (const Family family : kMixtureFamilies) {
    std::array<double, 6> bic{};
    for (const auto& part : subsets) {
      const auto fits = fit_mixtures(part, family, 5, quick());
      for (std::size_t k = 1; k <= 5; ++k) {
        if (!fits || fits->size() < k) {
          bic[k] = INFINITY;
          continue;
        }
        const MixtureFit& fit = (*fits)[k - 1];
        bic[k] +=
            fit.mixture.parameter_count() * std::log(static_cast<double>(kRuns)) - 2 * fit.log_likelihood;
      }
    }
    for (int k = 1; k <= 5; ++k)
      if (bic[static_cast<std::size_t>(k)] < least) {
        least = bic[static_cast<std::size_t>(k)];
        best = {family, k};
      }
  }
  return best;
}

// What happened to the model's intervals over all subsets, by quantile.
struct Tally {
  double covered = 0, failed = 0, floored = 0, sum = 0, squares = 0, errors = 0;
  void add(double truth, const QuantileError& error) {
    const double margin = kReach * error.standard_error(kRuns);
    covered += std::abs(error.quantile - truth) <= margin ? 1 : 0;
    sum += error.quantile;
    squares += error.quantile * error.quantile;
    errors += error.standard_error(kRuns);
  }
};

struct Outcome {
  bool good = false;
  bool floor = false;
  std::vector<QuantileError> errors;
};

Outcome model_of(const std::vector<double>& values, const Choice& choice) {
  const auto fit = fit_mixture(values, choice.family, choice.components, quick());
  if (!fit) return {};
  auto errors = quantile_errors(fit->mixture, kQuantiles);
  if (!errors) return {};
  return {true, fit->floor_hit, *std::move(errors)};
}

std::array<Tally, 2> tally(const std::vector<Outcome>& outcomes, const std::array<double, 2>& truth) {
  std::array<Tally, 2> sums;
  for (const Outcome& outcome : outcomes)
    for (std::size_t q = 0; q < 2; ++q) {
      sums[q].floored += outcome.floor ? 1 : 0;
      if (outcome.good)
        sums[q].add(truth[q], outcome.errors[q]);
      else
        sums[q].failed += 1;
    }
  return sums;
}

// Coverage in percent of intervals calibrated by refits, on data drawn from the model.
std::string calibrated_coverage(const Mixture& model, const std::array<double, 2>& truth,
                                std::size_t repeats) {
  std::array<double, 2> covered{};
  for (std::size_t i = 0; i < repeats; ++i) {
    Random random(9, i);
    std::vector<double> values(kRuns);
    for (double& x : values) x = model.sample(random);
    const auto fit = fit_mixture(values, model.family, static_cast<int>(model.components.size()), quick());
    if (!fit) continue;
    const auto intervals = calibrated_intervals(fit->mixture, kRuns, kQuantiles, 0.95, 199, i);
    if (!intervals) continue;
    for (std::size_t q = 0; q < 2; ++q)
      covered[q] += (*intervals)[q].low <= truth[q] && truth[q] <= (*intervals)[q].high ? 1 : 0;
  }
  const auto count = static_cast<double>(repeats);
  return fmt::format("{:.1f} {:.1f} when calibrated ({} samples)", 100 * covered[0] / count,
                     100 * covered[1] / count, repeats);
}

std::string reason(const Tally& tally, double truth, double count) {
  const double good = count - tally.failed;
  if (good < 1) return "no model could be fitted";
  const double mean = tally.sum / good;
  const double spread = std::sqrt(std::max(0.0, tally.squares / good - mean * mean));
  const double error = tally.errors / good;
  std::string text;
  const auto say = [&](const std::string& words) { text += (text.empty() ? "" : "; ") + words; };
  if (tally.failed > 0.02 * count) say(fmt::format("{:.0f} % of fits singular", 100 * tally.failed / count));
  if (tally.floored > 0.1 * count)
    say(fmt::format("a scale at its floor in {:.0f} % of fits", 100 * tally.floored / count));
  if (std::abs(mean - truth) > 0.3 * error)
    say(fmt::format("model off by {:+.1f} standard errors", (mean - truth) / error));
  if (spread > 1.15 * error) say(fmt::format("errors understated {:.2f} times", spread / error));
  if (spread < 0.85 * error) say(fmt::format("errors overstated {:.2f} times", error / spread));
  if (text.empty() && std::abs(tally.covered / count - 0.95) > 0.02)
    say(fmt::format(
        "small things: off by {:+.2f} standard errors, which are {:.2f} of the spread, and skewed",
        (mean - truth) / error, error / spread));
  return text.empty() ? "-" : text;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t repeats = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2000;
  const std::string path =
      argc > 2 ? argv[2] : WEIR_SOURCE_DIR "/../shared/data/ssd_readers_10200_runs.csv.zst";
  SampleQuery query;
  query.wide = "throughput_";
  const auto samples = read_samples(path, query);
  if (!samples) {
    fmt::print(stderr, "quantile_coverage: {}\n", samples.error().text());
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto count = static_cast<double>(repeats);
  int good_sets = 0, good_own = 0;
  fmt::print("coverage of 95 % intervals in percent, q = 0.1 and 0.9, {} subsets of {} runs\n", repeats,
             kRuns);
  fmt::print("{:28} {:>13} {:>13} {:>13} {:>13}  {}\n", "configuration", "model", "no model", "model",
             "own data", "why the model fails");
  for (const Group& group : samples->groups) {
    const Choice choice = choose(group.values);
    std::vector<double> sorted = group.values;
    std::sort(sorted.begin(), sorted.end());
    const std::array<double, 2> truth{sample_quantile(sorted, 0.1).estimate,
                                      sample_quantile(sorted, 0.9).estimate};
    const auto whole = fit_mixture(group.values, choice.family, choice.components, quick());
    if (!whole) continue;
    const std::array<double, 2> own_truth{whole->mixture.quantile(0.1), whole->mixture.quantile(0.9)};

    std::vector<Outcome> real(repeats), own(repeats);
    std::vector<std::array<char, 2>> plain(repeats);
    parallel_for(repeats, [&](std::size_t i) {
      Random random(1, i);
      std::vector<double> pool = group.values;
      std::vector<double> values = subset(pool, random);
      real[i] = model_of(values, choice);
      std::sort(values.begin(), values.end());
      for (std::size_t q = 0; q < 2; ++q) {
        const SampleQuantile found = sample_quantile(values, kQuantiles[q]);
        plain[i][q] = found.low <= truth[q] && truth[q] <= found.high ? 1 : 0;
      }
      for (double& x : values) x = whole->mixture.sample(random);
      own[i] = model_of(values, choice);
    });
    std::array<double, 2> covered{};
    for (const auto& flags : plain)
      for (std::size_t q = 0; q < 2; ++q) covered[q] += flags[q];
    const auto of_real = tally(real, truth);
    const auto of_own = tally(own, own_truth);
    const auto percent = [&](double a, double b) {
      return fmt::format("{:6.1f} {:6.1f}", 100 * a / count, 100 * b / count);
    };
    const auto within = [&](double hits, double low, double high) {
      return hits >= low * count && hits <= high * count;
    };
    good_sets += within(covered[0], 0.92, 0.99) && within(covered[1], 0.92, 0.99) ? 1 : 0;
    const bool own_good = within(of_own[0].covered, 0.93, 0.97) && within(of_own[1].covered, 0.93, 0.97);
    good_own += own_good ? 1 : 0;
    std::string key;
    for (const KeyPart& part : group.key) key += (key.empty() ? "" : " ") + part.value;
    fmt::print("{:28} {:>11} {} {} {} {}  0.1: {} | 0.9: {}\n", key, name(choice.family), choice.components,
               percent(covered[0], covered[1]), percent(of_real[0].covered, of_real[1].covered),
               percent(of_own[0].covered, of_own[1].covered), reason(of_real[0], truth[0], count),
               reason(of_real[1], truth[1], count));
    if (!own_good)
      fmt::print("{:>28} own data: 0.1: {} | 0.9: {} | {}\n", "", reason(of_own[0], own_truth[0], count),
                 reason(of_own[1], own_truth[1], count),
                 calibrated_coverage(whole->mixture, own_truth, std::max<std::size_t>(20, repeats / 10)));
    std::fflush(stdout);
  }
  fmt::print(
      "without a model 92 to 99 % on {} of {} sets; models on their own data 93 to 97 % on {}; {:.0f} s\n",
      good_sets, samples->groups.size(), good_own,
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return 0;
}
