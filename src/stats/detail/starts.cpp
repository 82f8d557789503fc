#include "stats/detail/starts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <boost/math/special_functions/log1p.hpp>

#include "stats/detail/special.hpp"

namespace weir::stats::detail {

namespace {

constexpr double kLeastMean = 1e-12;  // of a gamma component, in sample means

// Optimal one-dimensional k-means for every k up to a limit: the best division of the first i entries into k
// runs is the best of the first j into k-1 plus one run j..i, and the best j never moves left as i grows, so
// each row takes O(d log d) by halving (Wang and Song, 2011).
class KMeans {
 public:
  KMeans(const PreparedSample& sample, int most)
      : d_(sample.distinct()), mass_(d_ + 1), first_(d_ + 1), second_(d_ + 1) {
    for (std::size_t i = 0; i < d_; ++i) {
      const double w = sample.weight(i);
      const double u = (sample.value(i) - sample.mean()) / sample.spread();
      mass_[i + 1] = mass_[i] + w;
      first_[i + 1] = first_[i] + w * u;
      second_[i + 1] = second_[i] + w * u * u;
    }
    cost_.resize(d_ + 1);
    for (std::size_t i = 1; i <= d_; ++i) cost_[i] = within(0, i);
    for (int k = 2; k <= most; ++k) {
      std::vector<double> next(d_ + 1, std::numeric_limits<double>::infinity());
      from_.emplace_back(d_ + 1);
      const auto runs = static_cast<std::size_t>(k);
      if (runs <= d_) fill(next, runs, d_, runs - 1, d_ - 1);
      cost_ = std::move(next);
    }
  }

  Cuts cuts(int k) const {
    Cuts result(static_cast<std::size_t>(k - 1));
    std::size_t end = d_;
    for (int level = k; level >= 2; --level) {
      end = from_[static_cast<std::size_t>(level - 2)][end];
      result[static_cast<std::size_t>(level - 2)] = end;
    }
    return result;
  }

 private:
  double within(std::size_t begin, std::size_t end) const {
    const double mass = mass_[end] - mass_[begin];
    const double sum = first_[end] - first_[begin];
    return std::max(0.0, second_[end] - second_[begin] - sum * sum / mass);
  }

  // Rows low..high of the current k, whose best j lie in left..right.
  void fill(std::vector<double>& next, std::size_t low, std::size_t high, std::size_t left,
            std::size_t right) {
    const std::size_t middle = (low + high) / 2;
    std::size_t best = left;
    for (std::size_t j = left; j <= std::min(right, middle - 1); ++j) {
      const double cost = cost_[j] + within(j, middle);
      if (cost < next[middle]) {
        next[middle] = cost;
        best = j;
      }
    }
    from_.back()[middle] = best;
    if (middle > low) fill(next, low, middle - 1, left, best);
    if (middle < high) fill(next, middle + 1, high, best, right);
  }

  std::size_t d_;
  std::vector<double> mass_, first_, second_, cost_;
  std::vector<std::vector<std::size_t>> from_;
};

// Strictly ascending cuts inside 1 .. d-1, moved apart where they fell together.
void separate(Cuts& cuts, std::size_t d) {
  for (std::size_t i = 0; i < cuts.size(); ++i) cuts[i] = std::max(cuts[i], i == 0 ? 1 : cuts[i - 1] + 1);
  for (std::size_t i = cuts.size(); i-- > 0;)
    cuts[i] = std::min(cuts[i], i + 1 == cuts.size() ? d - 1 : cuts[i + 1] - 1);
}

// Runs of entries nearest to each of the ascending centres.
Cuts nearest(const PreparedSample& sample, const std::vector<double>& centres) {
  Cuts cuts;
  std::size_t i = 0;
  for (std::size_t j = 0; j + 1 < centres.size(); ++j) {
    const double border = 0.5 * (centres[j] + centres[j + 1]);
    while (i < sample.distinct() && sample.value(i) <= border) ++i;
    cuts.push_back(i);
  }
  separate(cuts, sample.distinct());
  return cuts;
}

// Lloyd's algorithm from the medians of k equal shares: centres are means, borders lie half way between them.
Cuts lloyd(const PreparedSample& sample, int k) {
  const std::size_t d = sample.distinct();
  std::vector<double> centres;
  double seen = 0;
  for (std::size_t i = 0; i < d && centres.size() < static_cast<std::size_t>(k); ++i) {
    seen += sample.weight(i);
    while (centres.size() < static_cast<std::size_t>(k) &&
           seen * 2 * k > static_cast<double>(2 * centres.size() + 1) * sample.weight_sum())
      centres.push_back(sample.value(i));
  }
  centres.resize(static_cast<std::size_t>(k), sample.value(d - 1));
  Cuts cuts = nearest(sample, centres);
  for (int round = 0; round < 100; ++round) {
    for (std::size_t j = 0; j <= cuts.size(); ++j) {
      double mass = 0, sum = 0;
      for (std::size_t i = j == 0 ? 0 : cuts[j - 1]; i < (j < cuts.size() ? cuts[j] : d); ++i) {
        mass += sample.weight(i);
        sum += sample.weight(i) * sample.value(i);
      }
      centres[j] = sum / mass;
    }
    Cuts next = nearest(sample, centres);
    if (next == cuts) break;
    cuts = std::move(next);
  }
  return cuts;
}

}  // namespace

StartPlan::StartPlan(const PreparedSample& sample, int max_components) {
  const std::size_t d = sample.distinct();
  const int most = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(max_components), d));
  const auto rows = static_cast<std::size_t>(most) + 1;
  kmeans_.resize(rows);
  lloyd_.resize(rows);
  quantiles_.resize(rows);
  gaps_.resize(rows);
  if (most < 2) return;

  const KMeans kmeans(sample, most);
  std::vector<std::size_t> by_gap(d - 1);
  std::iota(by_gap.begin(), by_gap.end(), std::size_t{1});
  const auto gap = [&](std::size_t i) { return sample.value(i) - sample.value(i - 1); };
  const auto wider = [&](std::size_t a, std::size_t b) {
    return gap(a) > gap(b) || (gap(a) == gap(b) && a < b);
  };
  std::partial_sort(by_gap.begin(), by_gap.begin() + (most - 1), by_gap.end(), wider);
  for (int k = 2; k <= most; ++k) {
    const auto at = static_cast<std::size_t>(k);
    kmeans_[at] = kmeans.cuts(k);
    gaps_[at].assign(by_gap.begin(), by_gap.begin() + (k - 1));
    std::sort(gaps_[at].begin(), gaps_[at].end());
    double seen = 0;
    std::size_t run = 1;
    for (std::size_t i = 0; i < d && run < at; ++i) {
      seen += sample.weight(i);
      while (run < at && seen * static_cast<double>(k) >= static_cast<double>(run) * sample.weight_sum()) {
        quantiles_[at].push_back(i + 1);
        ++run;
      }
    }
    separate(quantiles_[at], d);
    lloyd_[at] = detail::lloyd(sample, k);
    if (lloyd_[at] == kmeans_[at]) lloyd_[at].clear();
  }
}

Cuts random_cuts(const PreparedSample& sample, int k, Random& random) {
  const std::size_t d = sample.distinct();
  std::vector<double> centres;
  for (int j = 0; j < k; ++j) {
    double left = random.uniform() * sample.weight_sum();
    std::size_t i = 0;
    while (i + 1 < d && (left -= sample.weight(i)) > 0) ++i;
    centres.push_back(sample.value(i));
  }
  std::sort(centres.begin(), centres.end());
  return nearest(sample, centres);
}

void maximise_runs(const PreparedSample& sample, Family family, const Cuts& cuts, double cap, State& state) {
  if (family != Family::weibull && family != Family::frechet && family != Family::loglogistic) return;
  std::vector<double> u(sample.distinct());
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = sample.coordinate(family, i);
  for (std::size_t j = 0; j <= cuts.size(); ++j) {
    const std::size_t begin = j == 0 ? 0 : cuts[j - 1];
    const std::size_t end = j < cuts.size() ? cuts[j] : u.size();
    for (int round = 0; round < 12 && end - begin > 1; ++round) {
      const double a = state.sharpness[j];
      double alpha = 0, beta = 0, alpha_alpha = 0, alpha_beta = 0, beta_beta = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const double w = sample.weight(i);
        const double z = a * (u[i] - state.centre[j]);
        double slope = 0, curve = 0;  // of the standard log density
        if (family == Family::loglogistic) {
          const double t = std::tanh(0.5 * z);
          slope = -t;
          curve = -0.5 * (1 - t * t);
        } else {
          const double e = std::exp(z);
          slope = 1 - e;
          curve = -e;
        }
        alpha += w * (1 + z * slope);
        beta -= w * slope;
        alpha_alpha += w * (1 - z * z * curve);
        alpha_beta += w * z * curve;
        beta_beta -= w * curve;
      }
      const double determinant = alpha_alpha * beta_beta - alpha_beta * alpha_beta;
      double by_alpha = (alpha * beta_beta - beta * alpha_beta) / determinant;
      double by_beta = (beta * alpha_alpha - alpha * alpha_beta) / determinant;
      if (a * (1 + by_alpha) > cap) {
        by_alpha = cap / a - 1;
        by_beta = (beta - alpha_beta * by_alpha) / beta_beta;
      }
      if (!std::isfinite(by_alpha) || !std::isfinite(by_beta)) break;
      by_alpha = std::clamp(by_alpha, -0.5, 1.0);
      by_beta = std::clamp(by_beta, -1.0, 1.0);
      state.sharpness[j] = a * (1 + by_alpha);
      state.centre[j] += by_beta / (a * (1 + by_alpha));
      if (std::abs(by_alpha) + std::abs(by_beta) < 1e-4) break;
    }
  }
}

State state_from_cuts(const PreparedSample& sample, Family family, const Cuts& cuts, double cap) {
  State state;
  state.components = static_cast<int>(cuts.size()) + 1;
  PreparedSample::Scratch scratch;
  std::size_t i = 0;
  for (std::size_t j = 0; j <= cuts.size(); ++j) {
    const std::size_t end = j < cuts.size() ? cuts[j] : sample.distinct();
    double mass = 0, first = 0, second = 0, third = 0;
    while (i < end) {
      const auto block = sample.block(family, i / kBlock, scratch);
      for (std::size_t at = i % kBlock; at < kBlock && i < end; ++at, ++i) {
        const double w = block.weight[at];
        const double u = block.first[at];
        mass += w;
        first += w * u;
        second += w * u * u;
        if (block.second != nullptr) third += w * block.second[at];
      }
    }
    state.weight[j] = mass / sample.weight_sum();
    const double mean = first / mass;
    const double spread = std::sqrt(std::max(0.0, second / mass - mean * mean));
    const auto sharpness = [&](double of_unit_spread) { return std::min(cap, of_unit_spread / spread); };
    switch (family) {
      case Family::gamma: {
        const double s = boost::math::log1pmx(mean, Quiet()) - third / mass;
        state.centre[j] = std::max(1 + mean, kLeastMean);
        // Minka (2002), within 1.5 % of the maximum for every s.
        state.sharpness[j] =
            s > 0 ? std::min(cap, (3 - s + std::sqrt((s - 3) * (s - 3) + 24 * s)) / (12 * s)) : cap;
        break;
      }
      case Family::weibull:
      case Family::frechet:
        state.sharpness[j] = sharpness(std::numbers::pi / std::sqrt(6.0));
        state.centre[j] = mean + std::numbers::egamma / state.sharpness[j];
        break;
      case Family::loglogistic:
        state.sharpness[j] = sharpness(std::numbers::pi / std::numbers::sqrt3);
        state.centre[j] = mean;
        break;
      default:
        state.sharpness[j] = sharpness(1);
        state.centre[j] = mean;
    }
  }
  return state;
}

State split_component(Family family, const State& parent, int component, Split how, double cap) {
  State state = parent;
  const auto j = static_cast<std::size_t>(component);
  const auto added = static_cast<std::size_t>(state.components++);
  const double a = parent.sharpness[j];
  const bool is_gamma = family == Family::gamma;
  // A gamma's sharpness is the square of one over its relative width.
  const auto narrowed = [&](double factor) {
    return std::min(cap, is_gamma ? a * factor * factor : a * factor);
  };
  const double width = is_gamma ? parent.centre[j] / std::sqrt(a) : 1 / a;
  state.weight[j] = state.weight[added] = 0.5 * parent.weight[j];
  if (how == Split::beside) {
    state.sharpness[j] = state.sharpness[added] = narrowed(1.6);
    state.centre[j] = is_gamma ? parent.centre[j] / (1 + 0.8 / std::sqrt(a)) : parent.centre[j] - 0.8 * width;
    state.centre[added] = parent.centre[j] + 0.8 * width;
  } else {
    state.centre[added] = parent.centre[j];
    state.sharpness[j] = narrowed(2);
    state.sharpness[added] = narrowed(0.7);
  }
  return state;
}

}  // namespace weir::stats::detail
