#include "stats/rank_tests.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/check.hpp"

namespace weir::stats {
namespace {

constexpr double kWork = 3e8;  // relabellings times values, which bounds the time to about a second
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Scores of the pooled values in ascending order of badness, with ties sharing theirs, and the sums a
// standardised rank sum needs.
class Pool {
 public:
  // Values oriented so that larger is worse.
  Pool(const std::vector<double>& baseline, const std::vector<double>& fresh)
      : baseline_count_(baseline.size()), fresh_count_(fresh.size()) {
    const std::size_t total = size();
    places_.reserve(fresh.size());
    std::vector<std::pair<double, bool>> pooled;
    pooled.reserve(total);
    for (const double x : baseline) pooled.emplace_back(x, false);
    for (const double x : fresh) pooled.emplace_back(x, true);
    std::sort(pooled.begin(), pooled.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    wilcoxon_.resize(total);
    worst_.resize(total);
    best_.resize(total);
    for (std::size_t i = 0; i < total; ++i) {
      if (pooled[i].second) places_.push_back(static_cast<std::uint32_t>(i));
      const auto rank = static_cast<double>(i + 1);
      const auto n = static_cast<double>(total);
      wilcoxon_[i] = rank;
      worst_[i] = (i == 0 ? 0 : worst_[i - 1]) + 1 / (n - rank + 1);
    }
    for (std::size_t i = 0; i < total; ++i) best_[i] = worst_[total - 1 - i];
    for (std::size_t i = 0; i < total;) {
      std::size_t j = i;
      while (j < total && pooled[j].first == pooled[i].first) ++j;
      share(wilcoxon_, i, j);
      share(worst_, i, j);
      share(best_, i, j);
      ends_.push_back(j);
      const auto up_to = static_cast<double>(j);
      weights_.push_back(static_cast<double>(j - i) / (up_to * (static_cast<double>(total) - up_to)));
      i = j;
    }
    standardise(wilcoxon_);
    standardise(worst_);
    standardise(best_);
  }

  std::size_t size() const { return baseline_count_ + fresh_count_; }
  std::size_t distinct() const { return ends_.size(); }

  // Standardised rank sums of the values at these places, taken as the new ones: larger is worse, and larger
  // is better.
  struct Sums {
    double worse;
    double better;
  };
  Sums sums(std::span<const std::uint32_t> places) const {
    double wilcoxon = 0, worst = 0, best = 0;
    for (const std::uint32_t i : places) {
      wilcoxon += wilcoxon_[i];
      worst += worst_[i];
      best += best_[i];
    }
    return {std::max(wilcoxon, worst), std::max(-wilcoxon, best)};
  }
  std::span<const std::uint32_t> places() const { return places_; }  // of the new values

  // Pettitt's A², at the ends of runs of equal values.
  double anderson_darling(std::span<const std::uint32_t> places) const {
    labels_.assign(size(), 0);
    for (const std::uint32_t i : places) labels_[i] = 1;
    const auto n = static_cast<double>(size());
    const auto m = static_cast<double>(fresh_count_);
    double below = 0, sum = 0;
    std::size_t i = 0;
    for (std::size_t j = 0; j + 1 < ends_.size(); ++j) {
      for (; i < ends_[j]; ++i) below += labels_[i];
      const double gap = below * n - m * static_cast<double>(i);
      sum += weights_[j] * gap * gap;
    }
    return sum / (m * (n - m));
  }

 private:
  static void share(std::vector<double>& scores, std::size_t first, std::size_t last) {
    if (last - first < 2) return;
    const auto begin = scores.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = scores.begin() + static_cast<std::ptrdiff_t>(last);
    const double mean = std::accumulate(begin, end, 0.0) / static_cast<double>(last - first);
    std::fill(begin, end, mean);
  }
  // Shifts and scales so that a sum over fresh labels has mean 0 and variance 1 under relabelling.
  void standardise(std::vector<double>& scores) const {
    const auto n = static_cast<double>(size());
    const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) / n;
    double squares = 0;
    for (double& s : scores) {
      s -= mean;
      squares += s * s;
    }
    const double variance =
        static_cast<double>(baseline_count_) * static_cast<double>(fresh_count_) / (n * (n - 1)) * squares;
    const double scale = variance > 0 ? 1 / std::sqrt(variance) : 0;
    for (double& s : scores) s *= scale;
  }

  std::size_t baseline_count_;
  std::size_t fresh_count_;
  std::vector<std::uint32_t> places_;
  mutable std::vector<char> labels_;  // scratch
  std::vector<double> wilcoxon_, worst_, best_;
  std::vector<std::size_t> ends_;  // of runs of equal values
  std::vector<double> weights_;    // of these ends in A²; the last is not used
};

std::vector<double> oriented(std::span<const double> values, Better better) {
  std::vector<double> out(values.begin(), values.end());
  if (better == Better::higher)
    for (double& x : out) x = -x;
  return out;
}

// Random choices of places: each call gives another set, all sets equally likely.
class Relabelling {
 public:
  Relabelling(std::size_t total, std::size_t chosen) : order_(total), chosen_(chosen) {
    std::iota(order_.begin(), order_.end(), 0u);
  }
  std::span<const std::uint32_t> next(Random& random) {
    for (std::size_t i = 0; i < chosen_; ++i)
      std::swap(order_[i], order_[i + random.below(order_.size() - i)]);
    return std::span(order_).first(chosen_);
  }

 private:
  std::vector<std::uint32_t> order_;
  std::size_t chosen_;
};

// A p-value by counting how often chance does as well. Counting ends early once chance has done so often
// enough (Besag and Clifford 1991), which leaves the p-value exact and saves most of the work where nothing
// is found.
class Tally {
 public:
  explicit Tally(double seen) : seen_(seen) {}
  bool open() const { return hits_ < kEnough; }
  void count(double by_chance) {
    if (!open()) return;
    ++tries_;
    hits_ += by_chance >= seen_ - kRounding ? 1 : 0;
  }
  double p() const {
    return open() ? static_cast<double>(hits_ + 1) / static_cast<double>(tries_ + 1)
                  : static_cast<double>(hits_) / static_cast<double>(tries_);
  }

 private:
  static constexpr std::size_t kEnough = 200;
  static constexpr double kRounding = 1e-10;
  double seen_;
  std::size_t hits_ = 0;
  std::size_t tries_ = 0;
};

}  // namespace

RankTests rank_tests(std::span<const double> baseline, std::span<const double> fresh, Better better,
                     Random& random) {
  WEIR_CHECK(!baseline.empty() && !fresh.empty());
  const Pool pool(oriented(baseline, better), oriented(fresh, better));
  RankTests result;
  if (pool.distinct() < 2) return result;
  const Pool::Sums seen = pool.sums(pool.places());
  result.worse_statistic = seen.worse;
  result.better_statistic = seen.better;
  result.change_statistic = pool.anderson_darling(pool.places());
  const auto most =
      static_cast<std::size_t>(std::clamp(kWork / static_cast<double>(pool.size()), 999.0, 9999.0));
  Tally worse(seen.worse), other(seen.better), changed(result.change_statistic);
  Relabelling relabelling(pool.size(), fresh.size());
  for (; result.relabellings < most && (worse.open() || other.open() || changed.open());
       ++result.relabellings) {
    const auto places = relabelling.next(random);
    const Pool::Sums sums = pool.sums(places);
    worse.count(sums.worse);
    other.count(sums.better);
    if (changed.open()) changed.count(pool.anderson_darling(places));
  }
  result.worse_p = worse.p();
  result.better_p = other.p();
  result.change_p = changed.p();
  return result;
}

double detectable_shift(std::span<const double> baseline, std::size_t fresh_count, double alpha, double power,
                        Better better, Random& random) {
  WEIR_CHECK(!baseline.empty() && fresh_count > 0);
  // Beyond some thousand runs the shift falls as 1/sqrt(size): simulate smaller samples and scale.
  constexpr double kMostSimulated = 3000;
  const double shrink = std::min(1.0, kMostSimulated / static_cast<double>(baseline.size() + fresh_count));
  const auto n = static_cast<std::size_t>(std::ceil(shrink * static_cast<double>(baseline.size())));
  const auto m = static_cast<std::size_t>(std::ceil(shrink * static_cast<double>(fresh_count)));
  const std::vector<double> source = oriented(baseline, better);
  const auto draw = [&](std::size_t count, double shift) {
    std::vector<double> values(count);
    for (double& x : values) x = source[random.below(source.size())] + shift;
    return values;
  };
  const auto [low, high] = std::minmax_element(source.begin(), source.end());
  const double range = *high - *low;
  if (!(range > 0)) return 0;
  // With fewer than 1/alpha ways to label the runs not even the most extreme one is rare enough.
  double ways = 1;
  for (std::size_t i = 1; i <= std::min(n, m) && ways * alpha < 1; ++i)
    ways *= static_cast<double>(n + m + 1 - i) / static_cast<double>(i);
  if (ways * alpha < 1) return kInfinity;

  // The critical value for these sizes, from relabelled ranks without ties.
  std::vector<double> steps(n + m);
  std::iota(steps.begin(), steps.end(), 0.0);
  const Pool plain({steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(n)},
                   {steps.begin() + static_cast<std::ptrdiff_t>(n), steps.end()});
  Relabelling relabelling(n + m, m);
  constexpr std::size_t kNull = 4999;
  std::vector<double> null(kNull);
  for (double& statistic : null) statistic = plain.sums(relabelling.next(random)).worse;
  std::sort(null.begin(), null.end());
  const auto beyond = static_cast<std::size_t>(std::floor(alpha * (kNull + 1)));
  if (beyond == 0) return kInfinity;
  const double critical = null[kNull - beyond];

  const auto power_at = [&](double shift) {
    constexpr int kRepeats = 400;
    int found = 0;
    for (int i = 0; i < kRepeats; ++i) {
      const Pool pool(draw(n, 0), draw(m, shift));
      found += pool.sums(pool.places()).worse > critical ? 1 : 0;
    }
    return static_cast<double>(found) / kRepeats;
  };
  double least = 0;
  double most = 2 * range;  // everything new is worse than everything old: no more can be seen
  if (power_at(most) < power) return kInfinity;
  for (int i = 0; i < 14; ++i) {
    const double middle = 0.5 * (least + most);
    (power_at(middle) < power ? least : most) = middle;
  }
  return most * std::sqrt(shrink);
}

double typical_shift(std::span<const double> baseline, std::span<const double> fresh) {
  WEIR_CHECK(!baseline.empty() && !fresh.empty());
  static constexpr std::size_t kMost = 2000;
  const auto thinned = [](std::span<const double> values) {
    std::vector<double> kept;
    const std::size_t count = std::min(values.size(), kMost);
    for (std::size_t i = 0; i < count; ++i) kept.push_back(values[i * values.size() / count]);
    return kept;
  };
  std::vector<double> differences;
  const std::vector<double> old = thinned(baseline);
  for (const double y : thinned(fresh))
    for (const double x : old) differences.push_back(y - x);
  const auto middle = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2);
  std::nth_element(differences.begin(), middle, differences.end());
  return *middle;
}

}  // namespace weir::stats
