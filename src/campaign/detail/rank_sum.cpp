#include "campaign/detail/rank_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace weir::campaign::detail {
namespace {

constexpr std::size_t kExact = 50;

// P(U <= u), by u up to its mean, for samples of n and m values without ties. The number of arrangements with
// a given U is a coefficient of the Gaussian binomial [n+m over n] = prod (1 - q^(m+i)) / (1 - q^i), i
// = 1..n.
std::vector<double> exact_cdf(std::size_t n, std::size_t m) {
  const std::size_t most = n * m / 2;
  std::vector<double> coefficients(most + 1, 0.0);
  coefficients[0] = 1;
  double total = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t k = most; k >= m + i; --k) coefficients[k] -= coefficients[k - m - i];
    for (std::size_t k = i; k <= most; ++k) coefficients[k] += coefficients[k - i];
    total *= static_cast<double>(m + i) / static_cast<double>(i);
  }
  double below = 0;
  for (double& coefficient : coefficients) coefficient = (below += coefficient) / total;
  return coefficients;
}

// The configurations of a campaign have mostly the same numbers of runs.
const std::vector<double>& known_cdf(std::size_t n, std::size_t m) {
  constexpr std::size_t kMostKept = 100;
  thread_local std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> known;
  if (known.size() > kMostKept) known.clear();
  auto& cdf = known[{n, m}];
  if (cdf.empty()) cdf = exact_cdf(n, m);
  return cdf;
}

double normal_tail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

// z with P(N > z) = p, by bisection: called once a configuration.
double normal_quantile(double p) {
  double low = -40, high = 40;
  for (int i = 0; i < 80; ++i) {
    const double middle = 0.5 * (low + high);
    (normal_tail(middle) > p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

std::vector<double> thinned(std::span<const double> sorted) {
  constexpr std::size_t kMost = 2000;
  const std::size_t count = std::min(sorted.size(), kMost);
  std::vector<double> kept;
  kept.reserve(count);
  for (std::size_t i = 0; i < count; ++i) kept.push_back(sorted[(2 * i + 1) * sorted.size() / (2 * count)]);
  return kept;
}

}  // namespace

double rank_sum_p(std::span<const double> before, std::span<const double> after) {
  const std::size_t n = before.size(), m = after.size();
  // U: pairs in which after is larger, ties as a half; runs of equal values for the variance.
  double u = 0, ties = 0;
  std::size_t i = 0, j = 0;
  while (i < n || j < m) {
    const double value = j == m || (i < n && before[i] < after[j]) ? before[i] : after[j];
    std::size_t old = 0, fresh = 0;
    for (; i < n && before[i] == value; ++i) ++old;
    for (; j < m && after[j] == value; ++j) ++fresh;
    u += static_cast<double>(fresh) * (static_cast<double>(i - old) + 0.5 * static_cast<double>(old));
    const auto together = static_cast<double>(old + fresh);
    ties += together * together * together - together;
  }
  const auto nd = static_cast<double>(n), md = static_cast<double>(m), all = nd + md;
  const double mean = 0.5 * nd * md;
  if (ties == 0 && n <= kExact && m <= kExact) {
    const double smaller = std::min(u, nd * md - u);
    return std::min(1.0, 2 * known_cdf(n, m)[static_cast<std::size_t>(smaller)]);
  }
  const double variance = nd * md / 12 * (all + 1 - ties / (all * (all - 1)));
  if (!(variance > 0)) return 1;
  const double z = std::max(0.0, std::abs(u - mean) - 0.5) / std::sqrt(variance);
  return std::min(1.0, 2 * normal_tail(z));
}

ShiftInterval typical_shift(std::span<const double> before, std::span<const double> after, double alpha) {
  const std::vector<double> old = thinned(before), fresh = thinned(after);
  std::vector<double> differences;
  differences.reserve(old.size() * fresh.size());
  for (const double y : fresh)
    for (const double x : old) differences.push_back(y - x);
  const auto pick = [&](std::size_t rank) {  // from 0
    const auto at = differences.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(differences.begin(), at, differences.end());
    return *at;
  };
  const std::size_t count = differences.size();
  ShiftInterval shift;
  shift.estimate = count % 2 == 1 ? pick(count / 2) : 0.5 * (pick(count / 2 - 1) + pick(count / 2));
  // The interval holds the shifts the test does not reject: between the k-th smallest and k-th largest
  // difference, with k the largest such that P(U < k) <= alpha / 2.
  const std::size_t n = old.size(), m = fresh.size();
  std::size_t k = 0;
  if (n <= kExact && m <= kExact) {
    const std::vector<double>& cdf = known_cdf(n, m);
    while (k < count / 2 && cdf[k] <= 0.5 * alpha) ++k;
  } else {
    const auto nd = static_cast<double>(n), md = static_cast<double>(m);
    const double reach = normal_quantile(0.5 * alpha) * std::sqrt(nd * md * (nd + md + 1) / 12);
    k = static_cast<std::size_t>(std::max(0.0, std::floor(0.5 * nd * md - reach)));
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  shift.low = k > 0 ? pick(k - 1) : -kInfinity;
  shift.high = k > 0 ? pick(count - k) : kInfinity;
  return shift;
}

}  // namespace weir::campaign::detail
