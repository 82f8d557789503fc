#include "stats/detail/information.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <boost/math/quadrature/gauss_kronrod.hpp>

namespace weir::stats::detail {
namespace {

constexpr double kTail = 1e-14;      // probability left out at each end of each component
constexpr double kTolerance = 1e-9;  // of the integral, relative to the diagonal
constexpr int kDeepest = 24;         // halvings of one piece

using Kronrod = boost::math::quadrature::gauss_kronrod<double, 15>;
using Gauss = boost::math::quadrature::gauss<double, 7>;

int shapes_of(const Mixture& mixture) { return parameter_count(mixture.family) - 2; }

Eigen::Index size_of(const Mixture& mixture) {
  const auto k = static_cast<Eigen::Index>(mixture.components.size());
  return k - 1 + k * (2 + shapes_of(mixture));
}

// Score and density together, which the quadrature needs at each node.
double score_and_density(const Mixture& mixture, double x, Eigen::VectorXd& score) {
  const std::size_t k = mixture.components.size();
  score.setZero();
  std::array<double, kMostComponents> part{};
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < k; ++j) {
    const Component& component = mixture.components[j];
    part[j] = log_density(mixture.family, component.parameters, x);
    largest = std::max(largest, part[j]);
  }
  if (!std::isfinite(largest)) return 0;
  double sum = 0;
  for (std::size_t j = 0; j < k; ++j) {
    part[j] = std::exp(part[j] - largest);
    sum += mixture.components[j].weight * part[j];
  }
  const auto count = static_cast<Eigen::Index>(k);
  const bool shaped = shapes_of(mixture) > 0;
  for (std::size_t j = 0; j < k; ++j) {
    const auto at = static_cast<Eigen::Index>(j);
    if (j + 1 < k) score[at] = (part[j] - part[k - 1]) / sum;
    const double share = mixture.components[j].weight * part[j] / sum;
    if (share == 0) continue;
    const Gradient slope = log_density_gradient(mixture.family, mixture.components[j].parameters, x);
    score[count - 1 + at] = share * slope.location;
    score[2 * count - 1 + at] = share * slope.scale;
    if (shaped) score[3 * count - 1 + at] = share * slope.shape;
  }
  return sum * std::exp(largest);
}

class InformationIntegral {
 public:
  explicit InformationIntegral(const Mixture& mixture) : mixture_(mixture), score_(size_of(mixture)) {}

  Eigen::MatrixXd over(const std::vector<double>& cuts) {
    const Eigen::Index p = size_of(mixture_);
    std::vector<std::pair<Eigen::MatrixXd, Eigen::MatrixXd>> rough;
    Eigen::MatrixXd total = Eigen::MatrixXd::Zero(p, p);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      rough.push_back(rules(cuts[i], cuts[i + 1]));
      total += rough.back().first;
    }
    // Errors count relative to what the parameters' own information is, whatever their units.
    const Eigen::VectorXd root = total.diagonal().cwiseMax(1e-300).cwiseSqrt();
    units_ = root * root.transpose();
    total.setZero();
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
      total += refined(cuts[i], cuts[i + 1], rough[i], kTolerance / static_cast<double>(cuts.size()), 0);
    return total;
  }

 private:
  using Pair = std::pair<Eigen::MatrixXd, Eigen::MatrixXd>;

  // The integral over one piece by the 15-point rule, and by the 7-point rule inside it.
  Pair rules(double low, double high) {
    const Eigen::Index p = size_of(mixture_);
    Pair sums{Eigen::MatrixXd::Zero(p, p), Eigen::MatrixXd::Zero(p, p)};
    const double middle = 0.5 * (low + high);
    const double half = 0.5 * (high - low);
    const auto add = [&](double x, double kronrod, double gauss) {
      const double weight = score_and_density(mixture_, x, score_);
      if (weight == 0) return;
      sums.first.selfadjointView<Eigen::Lower>().rankUpdate(score_, weight * kronrod * half);
      if (gauss > 0) sums.second.selfadjointView<Eigen::Lower>().rankUpdate(score_, weight * gauss * half);
    };
    const auto& nodes = Kronrod::abscissa();
    const auto& weights = Kronrod::weights();
    const auto& inner = Gauss::weights();  // every second node
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const double gauss = i % 2 == 0 ? inner[i / 2] : 0;
      add(middle + half * nodes[i], weights[i], gauss);
      if (nodes[i] != 0) add(middle - half * nodes[i], weights[i], gauss);
    }
    sums.first.triangularView<Eigen::StrictlyUpper>() = sums.first.transpose();
    sums.second.triangularView<Eigen::StrictlyUpper>() = sums.second.transpose();
    return sums;
  }

  Eigen::MatrixXd refined(double low, double high, const Pair& rough, double tolerance, int depth) {
    // The difference of the rules is that of the weaker one; the stronger is off by far less: QUADPACK
    // takes (200 d)^1.5, which this mirrors.
    const double gap = ((rough.first - rough.second).array() / units_.array()).abs().maxCoeff();
    const double error = std::min(gap, std::pow(200 * gap, 1.5));
    if (!(error > tolerance) || depth >= kDeepest) return rough.first;
    const double middle = 0.5 * (low + high);
    return refined(low, middle, rules(low, middle), tolerance, depth + 1) +
           refined(middle, high, rules(middle, high), tolerance, depth + 1);
  }

  const Mixture& mixture_;
  Eigen::VectorXd score_;
  Eigen::MatrixXd units_;
};

}  // namespace

Eigen::VectorXd mixture_score(const Mixture& mixture, double x) {
  Eigen::VectorXd score(size_of(mixture));
  score_and_density(mixture, x, score);
  return score;
}

Eigen::VectorXd mixture_cdf_gradient(const Mixture& mixture, double x) {
  const auto k = static_cast<Eigen::Index>(mixture.components.size());
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(size_of(mixture));
  const Component& last = mixture.components.back();
  for (Eigen::Index j = 0; j < k; ++j) {
    const Component& component = mixture.components[static_cast<std::size_t>(j)];
    if (j + 1 < k)
      gradient[j] = cdf(mixture.family, component.parameters, x) - cdf(mixture.family, last.parameters, x);
    const Gradient slope = cdf_gradient(mixture.family, component.parameters, x);
    gradient[k - 1 + j] = component.weight * slope.location;
    gradient[2 * k - 1 + j] = component.weight * slope.scale;
    if (shapes_of(mixture) > 0) gradient[3 * k - 1 + j] = component.weight * slope.shape;
  }
  return gradient;
}

Result<Eigen::MatrixXd> expected_information(const Mixture& mixture) {
  if (mixture.components.empty() || mixture.components.size() > kMostComponents)
    return Error{Errc::usage, "a mixture needs 1 to 10 components"};
  std::vector<double> cuts;
  for (const Component& component : mixture.components) {
    if (mixture.family == Family::gev && component.parameters.shape <= -0.5)
      return Error{Errc::bad_data, "a GEV shape at or below -1/2 has no Fisher information"};
    for (const double p : {kTail, 1e-9, 1e-6, 1e-4, 2e-3, 0.02, 0.1, 0.3}) {
      cuts.push_back(quantile(mixture.family, component.parameters, p));
      cuts.push_back(upper_quantile(mixture.family, component.parameters, p));
    }
    cuts.push_back(quantile(mixture.family, component.parameters, 0.5));
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::erase_if(cuts, [](double x) { return !std::isfinite(x); });
  return InformationIntegral(mixture).over(cuts);
}

}  // namespace weir::stats::detail
