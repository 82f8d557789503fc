#include "stats/detect.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "stats/detail/calibrated_tail.hpp"

namespace weir::stats {
namespace {

double median_of(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  const auto middle = copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 2);
  std::nth_element(copy.begin(), middle, copy.end());
  if (copy.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(copy.begin(), middle));
}

// Medians of consecutive runs; the last batch may be short.
std::vector<double> batches(std::span<const double> values, std::size_t batch) {
  std::vector<double> medians;
  for (std::size_t i = 0; i < values.size(); i += batch)
    medians.push_back(median_of(values.subspan(i, std::min(batch, values.size() - i))));
  return medians;
}

// Beyond this many values a random part says as much.
constexpr std::size_t kMostCompared = 100'000;
std::vector<double> part_of(std::vector<double> values, Random& random) {
  if (values.size() <= kMostCompared) return values;
  for (std::size_t i = 0; i < kMostCompared; ++i)
    std::swap(values[i], values[i + random.below(values.size() - i)]);
  values.resize(kMostCompared);
  return values;
}

void judge_values(std::span<const double> baseline, std::span<const double> fresh, const Mixture& model,
                  const DetectOptions& options, Detection& result) {
  const detail::CalibratedTail tail(baseline, model, options.better, options.refits, options.seed);
  if (tail.refits() < options.refits)
    result.notes.push_back(fmt::format("{} of {} refits of the baseline model failed and are left out",
                                       options.refits - tail.refits(), options.refits));
  result.values.resize(fresh.size());
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    const double plain = tail.plain(fresh[i]);
    result.values[i] = {.index = i, .value = fresh[i], .tail = plain};
  }
  // The calibrated tail rises with the plain one and is smooth: between a hundred exact points of it a
  // straight line in logarithms is good to a part in a thousand. Few values, and extreme ones, are exact.
  constexpr std::size_t kKnots = 100;
  constexpr double kLowest = 1e-12;
  std::vector<double> knots;
  if (fresh.size() > kKnots)
    for (std::size_t i = 0; i < kKnots; ++i)
      knots.push_back(std::log(tail.calibrated(
          std::pow(kLowest, 1 - static_cast<double>(i) / static_cast<double>(kKnots - 1)) * (1 - 1e-9))));
  for (ValueTail& value : result.values) {
    if (knots.empty() || value.tail <= kLowest) {
      value.calibrated = tail.calibrated(value.tail);
      continue;
    }
    const double at = (1 - std::log(value.tail) / std::log(kLowest)) * static_cast<double>(kKnots - 1);
    const auto left = std::min(kKnots - 2, static_cast<std::size_t>(std::max(0.0, at)));
    const double part = at - static_cast<double>(left);
    value.calibrated = std::min(1.0, std::exp(knots[left] + part * (knots[left + 1] - knots[left])));
  }
  // Holm: the smallest counts for all looks, the next for one fewer, and never less than one before.
  std::vector<std::size_t> order(fresh.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return result.values[a].calibrated < result.values[b].calibrated;
  });
  const auto [least, most] = std::minmax_element(baseline.begin(), baseline.end());
  double running = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    ValueTail& value = result.values[order[i]];
    running = std::max(running, std::min(1.0, static_cast<double>(fresh.size() - i) * value.calibrated));
    value.adjusted = running;
    const bool beyond = options.better == Better::higher ? value.value < *least : value.value > *most;
    value.abnormal = beyond && value.adjusted <= options.alpha / 2;
    result.abnormal += value.abnormal ? 1 : 0;
  }
}

Result<void> check(std::span<const double> baseline, std::span<const double> fresh,
                   const DetectOptions& options) {
  if (baseline.size() < 2)
    return Error{Errc::bad_data, fmt::format("{} baseline values; a comparison needs more", baseline.size())};
  if (fresh.empty()) return Error{Errc::bad_data, "no new values to compare"};
  if (!(options.alpha > 0 && options.alpha < 1))
    return Error{Errc::usage, fmt::format("alpha is {}; give a probability between 0 and 1", options.alpha)};
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!std::all_of(baseline.begin(), baseline.end(), finite) ||
      !std::all_of(fresh.begin(), fresh.end(), finite))
    return Error{Errc::bad_data, "a value is not finite"};
  return {};
}

}  // namespace

Result<Detection> detect(std::span<const double> baseline, std::span<const double> fresh,
                         const std::optional<Mixture>& model, const DetectOptions& options) {
  if (auto good = check(baseline, fresh, options); !good) return good.error();
  Detection result;
  result.baseline_n = baseline.size();
  result.fresh_n = fresh.size();
  result.baseline_median = median_of(baseline);
  result.fresh_median = median_of(fresh);
  Random random(options.seed, 0x64657465);

  // Relabelling needs independent runs: where they depend on each other, batches stand in for them.
  result.dependence = test_dependence(baseline);
  // The baseline decides: in the new runs a change half way looks like dependence.
  if (result.dependence.inflation > 1.2)
    result.batch = static_cast<std::size_t>(std::ceil(result.dependence.inflation));
  if (result.batch > 1)
    result.notes.push_back(fmt::format(
        "runs depend on the ones before: medians of {} consecutive runs are compared, {} against {}",
        result.batch, (fresh.size() + result.batch - 1) / result.batch,
        (baseline.size() + result.batch - 1) / result.batch));
  const std::vector<double> old = part_of(batches(baseline, result.batch), random);
  const std::vector<double> young = part_of(batches(fresh, result.batch), random);

  const double rank_alpha = model ? options.alpha / 2 : options.alpha;
  result.tests = rank_tests(old, young, options.better, random);
  result.shift = typical_shift(old, young);
  result.shift_percent = 100 * result.shift / std::abs(result.baseline_median);
  result.changed = result.tests.change_p <= options.alpha;
  result.improved = result.tests.better_p <= options.alpha / 2;
  if (model) judge_values(baseline, fresh, *model, options, result);
  result.degraded = result.tests.worse_p <= rank_alpha || result.abnormal > 0;

  if (options.power) {
    const double unit = 100 / std::abs(result.baseline_median);
    result.detectable_80_percent =
        unit * detectable_shift(old, young.size(), rank_alpha, 0.8, options.better, random);
    result.detectable_90_percent =
        unit * detectable_shift(old, young.size(), rank_alpha, 0.9, options.better, random);
    if (std::isinf(result.detectable_80_percent))
      result.notes.emplace_back(
          "too few runs to find any shift by ranks at this alpha; only single values far outside can show");
  }
  return result;
}

}  // namespace weir::stats
