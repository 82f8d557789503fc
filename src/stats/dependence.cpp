#include "stats/dependence.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <boost/math/distributions/chi_squared.hpp>

namespace weir::stats {
namespace {

constexpr std::size_t kFewest = 20;          // runs below which order says nothing
constexpr std::size_t kLongest = 1'000'000;  // the first million runs tell as much as any more
constexpr std::size_t kMostLags = 2000;      // of the sum for the inflation

// Ranks with ties shared.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t j = i;
    while (j < order.size() && values[order[j]] == values[order[i]]) ++j;
    for (std::size_t at = i; at < j; ++at) ranks[order[at]] = 0.5 * static_cast<double>(i + j - 1);
    i = j;
  }
  return ranks;
}

class Autocorrelation {
 public:
  explicit Autocorrelation(std::span<const double> values) : centred_(values.begin(), values.end()) {
    const double mean =
        std::accumulate(centred_.begin(), centred_.end(), 0.0) / static_cast<double>(centred_.size());
    for (double& x : centred_) {
      x -= mean;
      sum_ += x * x;
    }
  }
  double at(std::size_t lag) const {
    if (!(sum_ > 0)) return 0;
    double product = 0;
    for (std::size_t i = lag; i < centred_.size(); ++i) product += centred_[i] * centred_[i - lag];
    return product / sum_;
  }

 private:
  std::vector<double> centred_;
  double sum_ = 0;
};

}  // namespace

Dependence test_dependence(std::span<const double> in_run_order, double alpha) {
  Dependence result;
  result.n = in_run_order.size();
  result.effective_n = static_cast<double>(result.n);
  in_run_order = in_run_order.first(std::min(in_run_order.size(), kLongest));
  const auto n = static_cast<double>(in_run_order.size());
  if (result.n < kFewest) return result;
  result.lag_one = Autocorrelation(in_run_order).at(1);
  if (std::is_sorted(in_run_order.begin(), in_run_order.end()) ||
      std::is_sorted(in_run_order.rbegin(), in_run_order.rend())) {
    result.order_lost = true;
    return result;
  }
  const Autocorrelation ranks(ranks_of(in_run_order));
  result.lags = std::min<std::size_t>(10, result.n / 5);
  for (std::size_t lag = 1; lag <= result.lags; ++lag) {
    const double r = ranks.at(lag);
    result.statistic += n * (n + 2) * r * r / (n - static_cast<double>(lag));
  }
  result.p_value = boost::math::cdf(
      boost::math::complement(boost::math::chi_squared(static_cast<double>(result.lags)), result.statistic));
  result.dependent = result.p_value < alpha;
  if (!result.dependent) return result;
  const double first = std::min(0.999, std::max(0.0, ranks.at(1)));
  result.first_order_inflation = (1 + first) / (1 - first);
  double pairs = 0;
  const std::size_t most = std::min(kMostLags, in_run_order.size() / 4);
  for (std::size_t lag = 0; lag + 1 <= most; lag += 2) {
    const double pair = (lag == 0 ? 1 : ranks.at(lag)) + ranks.at(lag + 1);
    if (pair <= 0) break;
    pairs += pair;
  }
  result.inflation = std::max(1.0, 2 * pairs - 1);
  result.effective_n = static_cast<double>(result.n) / result.inflation;
  return result;
}

}  // namespace weir::stats
