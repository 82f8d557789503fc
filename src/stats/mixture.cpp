#include "stats/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weir::stats {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Term>
double weighted_sum(const Mixture& mixture, Term&& term) {
  double sum = 0;
  for (const auto& c : mixture.components) sum += c.weight * term(c.parameters);
  return sum;
}

// The root of a monotone difference on [low, high] by Newton steps on log-probabilities, halved whenever one
// leaves the bracket: probabilities in the tails are close to exponential in x, so their logarithm is close
// to linear.
template <class Probability>
double search(const Mixture& mixture, double low, double high, double target, bool rising,
              Probability&& probability) {
  const double log_target = std::log(target);
  double x = 0.5 * low + 0.5 * high;
  for (int i = 0; i < 200 && low < high; ++i) {
    const double p = probability(x);
    const double gap = std::log(p) - log_target;
    if (gap == 0) return x;
    ((gap < 0) == rising ? low : high) = x;
    double next = x - gap * p / (rising ? mixture.density(x) : -mixture.density(x));
    if (!(next > low && next < high)) next = 0.5 * low + 0.5 * high;
    if (next == x || std::abs(next - x) <= 2e-16 * std::abs(x)) return next;
    x = next;
  }
  return x;
}

}  // namespace

int Mixture::parameter_count() const {
  const auto k = static_cast<int>(components.size());
  return k - 1 + k * stats::parameter_count(family);
}

double Mixture::log_density(double x) const {
  double peak = -kInfinity;
  double sum = 0;
  for (const auto& c : components) {
    const double term = std::log(c.weight) + stats::log_density(family, c.parameters, x);
    if (term == -kInfinity) continue;
    if (term > peak) {
      sum = sum * std::exp(peak - term) + 1;
      peak = term;
    } else {
      sum += std::exp(term - peak);
    }
  }
  return sum > 0 ? peak + std::log(sum) : -kInfinity;
}

double Mixture::density(double x) const {
  return weighted_sum(*this, [&](const Parameters& p) { return stats::density(family, p, x); });
}

double Mixture::cdf(double x) const {
  return weighted_sum(*this, [&](const Parameters& p) { return stats::cdf(family, p, x); });
}

double Mixture::survival(double x) const {
  return weighted_sum(*this, [&](const Parameters& p) { return stats::survival(family, p, x); });
}

double Mixture::quantile(double p) const {
  if (p > 0.5 && p <= 1) return upper_quantile(1 - p);
  double low = kInfinity;
  double high = -kInfinity;
  for (const auto& c : components) {
    const double x = stats::quantile(family, c.parameters, p);
    if (std::isnan(x)) return x;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  if (p == 0 || low == high) return low;
  return search(*this, low, high, p, true, [&](double x) { return cdf(x); });
}

double Mixture::upper_quantile(double q) const {
  if (q > 0.5 && q <= 1) return quantile(1 - q);
  double low = kInfinity;
  double high = -kInfinity;
  for (const auto& c : components) {
    const double x = stats::upper_quantile(family, c.parameters, q);
    if (std::isnan(x)) return x;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  if (q == 0 || low == high) return high;
  return search(*this, low, high, q, false, [&](double x) { return survival(x); });
}

double Mixture::mean() const {
  return weighted_sum(*this, [&](const Parameters& p) { return stats::mean(family, p); });
}

double Mixture::variance() const {
  const double centre = mean();
  if (!std::isfinite(centre)) return kInfinity;
  return weighted_sum(*this, [&](const Parameters& p) {
    const double away = stats::mean(family, p) - centre;
    return stats::variance(family, p) + away * away;
  });
}

double Mixture::sample(Random& random) const {
  double u = random.uniform();
  for (std::size_t j = 0; j + 1 < components.size(); ++j) {
    u -= components[j].weight;
    if (u < 0) return stats::sample(family, components[j].parameters, random);
  }
  return stats::sample(family, components.back().parameters, random);
}

std::vector<double> Mixture::responsibilities(double x) const {
  std::vector<double> shares;
  shares.reserve(components.size());
  const double total = log_density(x);
  for (const auto& c : components)
    shares.push_back(std::exp(std::log(c.weight) + stats::log_density(family, c.parameters, x) - total));
  return shares;
}

}  // namespace weir::stats
