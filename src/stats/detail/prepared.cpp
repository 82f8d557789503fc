#include "stats/detail/prepared.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/special_functions/log1p.hpp>

#include "stats/detail/special.hpp"

namespace weir::stats::detail {

namespace {

constexpr double kMostDeviations = 10;

constexpr double kLargest = 1e150;

// log(1+d) - d without cancellation, where 1+d = x/mean.
double log1p_less(double d, double x, double mean) {
  return d > -0.9 ? boost::math::log1pmx(d, Quiet()) : std::log(x) - std::log(mean) - d;
}

// Σ weight·term(i), added in blocks so that ten million terms keep their digits.
template <class Term>
double blocked_sum(std::size_t count, Term&& term) {
  double sum = 0;
  for (std::size_t begin = 0; begin < count; begin += 4096) {
    double part = 0;
    for (std::size_t i = begin; i < std::min(count, begin + 4096); ++i) part += term(i);
    sum += part;
  }
  return sum;
}

}  // namespace

Result<PreparedSample> PreparedSample::make(std::span<const double> values) {
  if (values.empty()) return Error{Errc::bad_data, "no values"};
  const auto bad =
      std::find_if(values.begin(), values.end(), [](double x) { return !(std::abs(x) <= kLargest); });
  if (bad != values.end()) {
    const auto place = bad - values.begin() + 1;
    if (!std::isfinite(*bad))
      return Error{Errc::bad_data, fmt::format("value {} is {}, not a finite number", place, *bad)};
    return Error{Errc::bad_data,
                 fmt::format("value {} is {}; beyond {} squares overflow", place, *bad, kLargest)};
  }

  PreparedSample sample;
  sample.values_.assign(values.begin(), values.end());
  auto& sorted = sample.values_;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.front() == sorted.back())
    return Error{Errc::bad_data, fmt::format("all {} values are equal ({}): there is no spread to describe",
                                             values.size(), sorted[0])};
  sample.total_ = sorted.size();

  std::size_t distinct = 1;
  for (std::size_t i = 1; i < sorted.size(); ++i) distinct += sorted[i] != sorted[i - 1];
  if (sorted.size() <= kStored || distinct <= sorted.size() / 2) {
    sample.counts_.reserve(distinct);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < sorted.size();) {
      std::size_t end = i + 1;
      while (end < sorted.size() && sorted[end] == sorted[i]) ++end;
      sorted[kept++] = sorted[i];
      sample.counts_.push_back(static_cast<unsigned>(end - i));
      i = end;
    }
    sorted.resize(kept);
  }
  sample.summarise();
  sample.store_coordinates();
  return sample;
}

double PreparedSample::weight(std::size_t i) const {
  if (!counts_.empty()) return counts_[i];
  return weights_.empty() ? 1 : weights_[i];
}

void PreparedSample::summarise() {
  const std::size_t n = values_.size();
  weight_sum_ = blocked_sum(n, [&](std::size_t i) { return weight(i); });
  mean_ = blocked_sum(n, [&](std::size_t i) { return weight(i) * values_[i]; }) / weight_sum_;
  spread_ = std::sqrt(
      blocked_sum(n, [&](std::size_t i) { return weight(i) * (values_[i] - mean_) * (values_[i] - mean_); }) /
      weight_sum_);
  breadth_ = std::min(values_.back() - values_.front(), kMostDeviations * spread_);
  if (positive()) {
    log_sum_ = blocked_sum(n, [&](std::size_t i) { return weight(i) * std::log(values_[i]); });
    log_mean_ = log_sum_ / weight_sum_;
    log_spread_ = std::sqrt(blocked_sum(n,
                                        [&](std::size_t i) {
                                          const double away = std::log(values_[i]) - log_mean_;
                                          return weight(i) * away * away;
                                        }) /
                            weight_sum_);
    log_breadth_ = std::min(std::log(values_.back() / values_.front()), kMostDeviations * log_spread_);
  }
}

void PreparedSample::store_coordinates() {
  const std::size_t n = values_.size();
  if (n > kStored) return;
  const std::size_t padded = (n + kLanes - 1) / kLanes * kLanes;
  padded_weight_.assign(padded, 0);
  for (std::size_t i = 0; i < n; ++i) padded_weight_[i] = weight(i);
  const auto coordinates = [&](Family family, std::vector<double>& first, std::vector<double>* second) {
    first.resize(padded);
    if (second != nullptr) second->resize(padded);
    fill(family, 0, n, first.data(), second != nullptr ? second->data() : nullptr);
    for (std::size_t i = n; i < padded; ++i) {
      first[i] = first[n - 1];
      if (second != nullptr) (*second)[i] = (*second)[n - 1];
    }
  };
  coordinates(Family::normal, linear_, nullptr);
  if (!positive()) return;
  coordinates(Family::lognormal, log_, nullptr);
  coordinates(Family::frechet, mirrored_, nullptr);
  coordinates(Family::gamma, gamma_first_, &gamma_second_);
}

double PreparedSample::coordinate(Family family, std::size_t i) const {
  double first = 0;
  double second = 0;
  fill(family, i, 1, &first, &second);
  return first;
}

void PreparedSample::fill(Family family, std::size_t begin, std::size_t count, double* first,
                          double* second) const {
  for (std::size_t i = 0; i < count; ++i) {
    const double x = values_[begin + i];
    switch (family) {
      case Family::normal:
        first[i] = (x - mean_) / spread_;
        break;
      case Family::gamma:
        first[i] = (x - mean_) / mean_;
        second[i] = log1p_less(first[i], x, mean_);
        break;
      case Family::frechet:
        first[i] = (log_mean_ - std::log(x)) / log_spread_;
        break;
      default:
        first[i] = (std::log(x) - log_mean_) / log_spread_;
    }
  }
}

PreparedSample::Block PreparedSample::block(Family family, std::size_t index, Scratch& scratch) const {
  const std::size_t begin = index * kBlock;
  const std::size_t count = std::min(kBlock, values_.size() - begin);
  const std::size_t padded = (count + kLanes - 1) / kLanes * kLanes;
  if (values_.size() <= kStored) {
    const double* weight = padded_weight_.data() + begin;
    switch (family) {
      case Family::normal:
        return {linear_.data() + begin, nullptr, weight, padded};
      case Family::gamma:
        return {gamma_first_.data() + begin, gamma_second_.data() + begin, weight, padded};
      case Family::frechet:
        return {mirrored_.data() + begin, nullptr, weight, padded};
      default:
        return {log_.data() + begin, nullptr, weight, padded};
    }
  }
  fill(family, begin, count, scratch.first, scratch.second);
  for (std::size_t i = 0; i < count; ++i) scratch.weight[i] = weight(begin + i);
  for (std::size_t i = count; i < padded; ++i) {
    scratch.first[i] = scratch.first[count - 1];
    scratch.second[i] = scratch.second[count - 1];
    scratch.weight[i] = 0;
  }
  return {scratch.first, scratch.second, scratch.weight, padded};
}

double PreparedSample::log_jacobian(Family family) const {
  switch (family) {
    case Family::normal:
      return weight_sum_ * std::log(spread_);
    case Family::gamma:  // the pass leaves out gamma's 1/x
      return log_sum_;
    default:
      return log_sum_ + weight_sum_ * std::log(log_spread_);
  }
}

PreparedSample PreparedSample::thinned(std::size_t entries) const {
  std::vector<double> values, weights;
  const double share = weight_sum_ / static_cast<double>(entries);
  double sum = 0, mass = 0, edge = share, seen = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const double w = weight(i);
    sum += w * (values_[i] - values_.front());
    mass += w;
    seen += w;
    if (seen < edge * (1 - 1e-12) && i + 1 < values_.size()) continue;
    values.push_back(values_.front() + sum / mass);
    weights.push_back(mass);
    while (edge <= seen) edge += share;
    sum = mass = 0;
  }
  PreparedSample small;
  small.values_ = std::move(values);
  small.weights_ = std::move(weights);
  small.total_ = total_;
  small.weight_sum_ = weight_sum_;
  small.mean_ = mean_;
  small.spread_ = spread_;
  small.log_mean_ = log_mean_;
  small.log_spread_ = log_spread_;
  small.breadth_ = breadth_;
  small.log_breadth_ = log_breadth_;
  small.log_sum_ = log_sum_;
  small.store_coordinates();
  return small;
}

}  // namespace weir::stats::detail
