#include "stats/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/tools/minima.hpp>
#include <fmt/format.h>

#include "stats/detail/gev_likelihood.hpp"

namespace weir::stats {
namespace {

constexpr std::size_t kFewestInBlock = 25;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double chi_squared_tail(double statistic, double freedom) {
  return boost::math::cdf(
      boost::math::complement(boost::math::chi_squared(freedom), std::max(0.0, statistic)));
}

// Quiet times and blocks of loaded ones under one extreme value distribution, block b divided by its factor.
class JointModel {
 public:
  JointModel(std::span<const double> quiet, std::span<const double> loaded,
             std::vector<TrafficFactor::Block> blocks, const Parameters& start)
      : loaded_(loaded), blocks_(std::move(blocks)), at_(detail::gev_coordinates(start)) {
    pooled_.assign(quiet.begin(), quiet.end());
    pooled_.insert(pooled_.end(), loaded.begin(), loaded.end());
    quiet_count_ = quiet.size();
  }

  const std::vector<TrafficFactor::Block>& blocks() const { return blocks_; }
  void set_factor(double factor) {
    for (auto& block : blocks_) block.factor = factor;
  }

  // The largest log-likelihood over the distribution with the factors held.
  double best_distribution() {
    double jacobian = 0;
    for (const auto& block : blocks_) {
      for (std::size_t i = block.first; i < block.first + block.count; ++i)
        pooled_[quiet_count_ + i] = loaded_[i] / block.factor;
      jacobian += static_cast<double>(block.count) * std::log(block.factor);
    }
    const auto likelihood = [&](const Eigen::Vector3d& at) { return detail::gev_likelihood(pooled_, at); };
    Eigen::Vector3d start = at_;
    for (int i = 0; i < 60 && !std::isfinite(likelihood(start).value); ++i) {
      start[1] += 0.1;  // values that fell out of the support come back in a wider distribution
      start[2] *= 0.8;
    }
    const detail::Maximum top = detail::maximise(likelihood, start, {true, true, true});
    at_ = top.at;
    return top.there.value - jacobian;
  }

  // The largest over distribution and factors, one after the other: each step can only rise.
  double best() {
    double height = best_distribution();
    for (int i = 0; i < 200; ++i) {
      for (auto& block : blocks_) block.factor = best_factor(block);
      const double next = best_distribution();
      if (next - height < 1e-8 * (1 + std::abs(next))) return std::max(next, height);
      height = next;
    }
    return height;
  }

 private:
  double best_factor(const TrafficFactor::Block& block) const {
    const Parameters parameters = detail::gev_parameters(at_);
    const auto cost = [&](double log_factor) {
      double sum = static_cast<double>(block.count) * log_factor;
      const double shrink = std::exp(-log_factor);
      for (std::size_t i = block.first; i < block.first + block.count; ++i)
        sum -= log_density(Family::gev, parameters, loaded_[i] * shrink);
      return std::isfinite(sum) ? sum : std::numeric_limits<double>::max();
    };
    const double now = std::log(block.factor);
    // The bracket is a few standard errors of the block's log factor around where it stands.
    const double reach = 5 * parameters.scale / std::abs(parameters.location) + 1e-3;
    const auto [at, least] = boost::math::tools::brent_find_minima(cost, now - reach, now + reach, 40);
    return least < cost(now) ? std::exp(at) : block.factor;
  }

  std::span<const double> loaded_;
  std::vector<TrafficFactor::Block> blocks_;
  Eigen::Vector3d at_;
  std::vector<double> pooled_;
  std::size_t quiet_count_ = 0;
};

std::vector<TrafficFactor::Block> cut(std::size_t count, std::size_t blocks, double factor) {
  std::vector<TrafficFactor::Block> parts;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t first = b * count / blocks;
    parts.push_back({first, (b + 1) * count / blocks - first, factor});
  }
  return parts;
}

double median_of(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  const auto middle = copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 2);
  std::nth_element(copy.begin(), middle, copy.end());
  return *middle;
}

// Where the profile over the factor falls to `needed`, in direction `sign` of the logarithm.
double interval_end(JointModel model, double factor, double needed, double step) {
  double inside = std::log(factor);
  double outside = inside + step;
  const auto height = [&](double log_factor) {
    model.set_factor(std::exp(log_factor));
    return model.best_distribution();
  };
  for (int i = 0; i < 60 && height(outside) > needed; ++i) {
    inside = outside;
    outside += step * (1 + i);
  }
  for (int i = 0; i < 40 && std::abs(outside - inside) > 1e-9; ++i) {
    const double middle = 0.5 * (inside + outside);
    (height(middle) > needed ? inside : outside) = middle;
  }
  return std::exp(inside);
}

}  // namespace

bool TrafficFactor::constant(double alpha) const {
  return !(scaling_p < alpha / 2) && !(drift_p < alpha / 2);
}

Result<TrafficFactor> traffic_factor(std::span<const double> quiet, std::span<const double> loaded,
                                     const TrafficOptions& options) {
  const auto positive = [](double x) { return x > 0; };
  if (!std::all_of(quiet.begin(), quiet.end(), positive) ||
      !std::all_of(loaded.begin(), loaded.end(), positive))
    return Error{Errc::bad_data, "a traffic factor needs times above 0"};
  auto quiet_fit = fit_gev(quiet);
  if (!quiet_fit) return quiet_fit.error().in("quiet times");
  auto loaded_fit = fit_gev(loaded);
  if (!loaded_fit) return loaded_fit.error().in("loaded times");
  if (!quiet_fit->converged) return Error{Errc::bad_data, quiet_fit->note}.in("quiet times");
  if (!loaded_fit->converged) return Error{Errc::bad_data, loaded_fit->note}.in("loaded times");

  TrafficFactor result;
  const double guess = median_of(loaded) / median_of(quiet);
  JointModel one(quiet, loaded, cut(loaded.size(), 1, guess), quiet_fit->parameters);
  const double with_one = one.best();
  result.factor = one.blocks()[0].factor;
  const double needed = with_one - 0.5 * boost::math::quantile(boost::math::chi_squared(1), options.level);
  const double step = quiet_fit->standard_errors[0] / std::abs(quiet_fit->parameters.location) +
                      loaded_fit->standard_errors[0] / std::abs(loaded_fit->parameters.location);
  result.low = interval_end(one, result.factor, needed, -step);
  result.high = interval_end(one, result.factor, needed, step);
  result.scaling_statistic = 2 * (quiet_fit->log_likelihood + loaded_fit->log_likelihood - with_one);
  result.scaling_p = chi_squared_tail(result.scaling_statistic, 2);

  const std::size_t blocks = std::min(options.blocks, loaded.size() / kFewestInBlock);
  if (blocks >= 2) {
    JointModel many(quiet, loaded, cut(loaded.size(), blocks, result.factor), quiet_fit->parameters);
    result.drift_statistic = std::max(0.0, 2 * (many.best() - with_one));
    result.drift_p = chi_squared_tail(result.drift_statistic, static_cast<double>(blocks - 1));
    result.blocks = many.blocks();
  } else {
    result.drift_statistic = kNaN;
    result.drift_p = kNaN;
  }
  result.quiet = *std::move(quiet_fit);
  result.loaded = *std::move(loaded_fit);
  return result;
}

}  // namespace weir::stats
