#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

#include "stats/family.hpp"

// EM as a textbook writes it, to compare with: one k-means start (Lloyd's algorithm from quantiles),
// responsibilities as an n x k table, every M step solved to the end, iterations until the log-likelihood's
// relative change is below the tolerance. Shares no code with the room stats but the density functions.
namespace weir::bench {

struct PlainFit {
  std::vector<double> weight, location, scale;
  double log_likelihood = 0;
  int iterations = 0;
};

class PlainEm {
 public:
  PlainEm(std::vector<double> values, stats::Family family, double floor_share = 0.01)
      : x_(std::move(values)), family_(family), y_(x_) {
    if (family != stats::Family::normal && family != stats::Family::gamma)
      for (double& y : y_) y = std::log(y);
    std::vector<double> spread_of = y_;
    if (family == stats::Family::gamma)
      for (double& y : spread_of) y = std::log(y);
    double mean = 0, square = 0;
    for (const double y : spread_of) mean += y / static_cast<double>(y_.size());
    for (const double y : spread_of) square += (y - mean) * (y - mean) / static_cast<double>(y_.size());
    const auto [least, greatest] = std::minmax_element(spread_of.begin(), spread_of.end());
    floor_ = floor_share * std::min(*greatest - *least, 10 * std::sqrt(square));
  }

  PlainFit fit(int k, double tolerance = 1e-8, int most = 2000) const {
    const std::size_t n = x_.size();
    const auto groups = static_cast<std::size_t>(k);
    std::vector<std::vector<double>> r(groups, std::vector<double>(n, 0));
    const auto labels = kmeans(groups);
    for (std::size_t i = 0; i < n; ++i) r[labels[i]][i] = 1;
    PlainFit fit;
    fit.weight.assign(groups, 0);
    fit.location.assign(groups, 0);
    fit.scale.assign(groups, 0);
    double before = -std::numeric_limits<double>::infinity();
    for (fit.iterations = 1; fit.iterations <= most; ++fit.iterations) {
      for (std::size_t j = 0; j < groups; ++j) {
        double mass = 0;
        for (const double share : r[j]) mass += share;
        fit.weight[j] = mass / static_cast<double>(n);
        if (mass > 1e-9) maximise(r[j], fit.iterations == 1, fit.location[j], fit.scale[j]);
      }
      fit.log_likelihood = 0;
      for (std::size_t i = 0; i < n; ++i) {
        std::vector<double> term(groups);
        double peak = -std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < groups; ++j) {
          term[j] = std::log(fit.weight[j]) +
                    stats::log_density(family_, {fit.location[j], fit.scale[j], 0}, x_[i]);
          peak = std::max(peak, term[j]);
        }
        double sum = 0;
        for (const double t : term) sum += std::exp(t - peak);
        fit.log_likelihood += peak + std::log(sum);
        for (std::size_t j = 0; j < groups; ++j) r[j][i] = std::exp(term[j] - peak) / sum;
      }
      if (std::abs(fit.log_likelihood - before) < tolerance * std::abs(fit.log_likelihood)) break;
      before = fit.log_likelihood;
    }
    return fit;
  }

 private:
  std::vector<std::size_t> kmeans(std::size_t k) const {
    std::vector<double> sorted = x_;
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> centre(k);
    for (std::size_t j = 0; j < k; ++j) centre[j] = sorted[(2 * j + 1) * sorted.size() / (2 * k)];
    std::vector<std::size_t> label(x_.size(), 0);
    for (int round = 0; round < 200; ++round) {
      bool moved = false;
      for (std::size_t i = 0; i < x_.size(); ++i) {
        std::size_t best = 0;
        for (std::size_t j = 1; j < k; ++j)
          if (std::abs(x_[i] - centre[j]) < std::abs(x_[i] - centre[best])) best = j;
        moved = moved || label[i] != best;
        label[i] = best;
      }
      if (!moved && round > 0) break;
      for (std::size_t j = 0; j < k; ++j) {
        double sum = 0, count = 0;
        for (std::size_t i = 0; i < x_.size(); ++i)
          if (label[i] == j) sum += x_[i], count += 1;
        if (count > 0) centre[j] = sum / count;
      }
    }
    return label;
  }

  void maximise(const std::vector<double>& r, bool first, double& location, double& scale) const {
    double mass = 0, mean = 0, square = 0, log_mean = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) mass += r[i], mean += r[i] * y_[i];
    mean /= mass;
    for (std::size_t i = 0; i < y_.size(); ++i) square += r[i] * (y_[i] - mean) * (y_[i] - mean);
    const double spread = std::max(std::sqrt(square / mass), 1e-300);
    switch (family_) {
      case stats::Family::normal:
      case stats::Family::lognormal:
        location = mean;
        scale = std::max(spread, floor_);
        return;
      case stats::Family::gamma: {
        for (std::size_t i = 0; i < y_.size(); ++i) log_mean += r[i] * std::log(y_[i] / mean) / mass;
        const double s = -log_mean;
        double a = 1 / (floor_ * floor_);
        if (s > 0) {
          double trial = (3 - s + std::sqrt((s - 3) * (s - 3) + 24 * s)) / (12 * s);
          for (int i = 0; i < 30; ++i) {
            const double value = std::log(trial) - boost::math::digamma(trial) - s;
            const double slope = 1 / trial - boost::math::trigamma(trial);
            const double next = 1 / (1 / trial + value / (trial * trial * slope));
            if (!(next > 0) || trial > 1e7) break;
            trial = next;
          }
          a = std::min(a, trial);
        }
        location = a;
        scale = mean / a;
        return;
      }
      default:
        break;
    }
    if (first) {
      location = mean;
      scale = std::max(spread * 0.7, floor_);
    }
    newton(r, location, scale);
  }

  // Damped Newton in (1/σ, μ/σ), where Σ r log f is concave.
  void newton(const std::vector<double>& r, double& location, double& scale) const {
    const double sign = family_ == stats::Family::frechet ? -1 : 1;
    const auto value = [&](double a, double b) {
      double sum = 0;
      for (std::size_t i = 0; i < y_.size(); ++i) {
        if (r[i] == 0) continue;
        const double z = sign * (a * y_[i] - b);
        const double g = family_ == stats::Family::loglogistic
                             ? -std::abs(z) - 2 * std::log1p(std::exp(-std::abs(z)))
                             : z - std::exp(z);
        sum += r[i] * (g + std::log(a));
      }
      return sum;
    };
    double a = 1 / scale, b = location / scale;
    const double cap = 1 / floor_;
    double current = value(a, b);
    for (int round = 0; round < 60; ++round) {
      double ga = 0, gb = 0, haa = 0, hab = 0, hbb = 0;
      for (std::size_t i = 0; i < y_.size(); ++i) {
        const double y = y_[i];
        const double z = sign * (a * y - b);
        double g1 = 0, g2 = 0;
        if (family_ == stats::Family::loglogistic) {
          const double t = std::tanh(0.5 * z);
          g1 = -t;
          g2 = -0.5 * (1 - t * t);
        } else {
          const double e = std::exp(z);
          g1 = 1 - e;
          g2 = -e;
        }
        ga += r[i] * (sign * g1 * y + 1 / a);
        gb += r[i] * -sign * g1;
        haa += r[i] * (g2 * y * y - 1 / (a * a));
        hab += r[i] * (-g2 * y);
        hbb += r[i] * g2;
      }
      const double det = haa * hbb - hab * hab;
      double da = -(ga * hbb - gb * hab) / det;
      double db = -(gb * haa - ga * hab) / det;
      if (!std::isfinite(da + db) || a + da >= cap) {
        da = cap - a;
        db = -(gb + hab * da) / hbb;
      }
      double step = 1;
      double next = 0;
      for (; step > 1e-8; step *= 0.5) {
        if (a + step * da <= 0) continue;
        next = value(a + step * da, b + step * db);
        if (next >= current) break;
      }
      if (step <= 1e-8) break;
      a += step * da;
      b += step * db;
      const bool done = next - current < 1e-12 * (1 + std::abs(next));
      current = next;
      if (done) break;
    }
    scale = 1 / a;
    location = b / a;
  }

  std::vector<double> x_;
  stats::Family family_;
  std::vector<double> y_;
  double floor_ = 0;
};

}  // namespace weir::bench
