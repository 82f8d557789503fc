#include "campaign/stripe_study.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <fmt/format.h>

#include "base/json.hpp"

namespace weir::campaign {
namespace {

// Columns of deviations from their mean, scaled to length 1: correlations are then products.
std::vector<std::vector<double>> directions(std::span<const StripeTimes> times, std::size_t targets) {
  std::vector<std::vector<double>> columns(targets, std::vector<double>(times.size()));
  for (std::size_t i = 0; i < targets; ++i) {
    double mean = 0;
    for (std::size_t r = 0; r < times.size(); ++r) mean += columns[i][r] = times[r].parts_s[i];
    mean /= static_cast<double>(times.size());
    double square = 0;
    for (double& value : columns[i]) {
      value -= mean;
      square += value * value;
    }
    for (double& value : columns[i]) value = square > 0 ? value / std::sqrt(square) : 0;
  }
  return columns;
}

void correlate(std::span<const StripeTimes> times, double alpha, StripeStudy& study) {
  const std::size_t m = study.targets;
  const auto columns = directions(times, m);
  study.correlation.assign(m, std::vector<double>(m, 1));
  double sum = 0;
  study.least_correlation = 1;
  study.greatest_correlation = -1;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double r = std::inner_product(columns[i].begin(), columns[i].end(), columns[j].begin(), 0.0);
      study.correlation[i][j] = study.correlation[j][i] = r;
      study.least_correlation = std::min(study.least_correlation, r);
      study.greatest_correlation = std::max(study.greatest_correlation, r);
      sum += r;
    }
  }
  const double pairs = static_cast<double>(m * (m - 1)) / 2;
  study.mean_correlation = sum / pairs;
  // Independent columns: each r has mean 0 and variance 1/(n-1), whatever the distribution, and pairs are
  // uncorrelated.
  const double z = study.mean_correlation * std::sqrt(pairs * static_cast<double>(times.size() - 1));
  study.correlation_p = 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), std::abs(z)));
  study.targets_independent = study.correlation_p >= alpha;
}

void count_slowest(std::span<const StripeTimes> times, double alpha, StripeStudy& study) {
  study.slowest.assign(study.targets, 0);
  for (const StripeTimes& run : times)
    ++study.slowest[static_cast<std::size_t>(std::max_element(run.parts_s.begin(), run.parts_s.end()) -
                                             run.parts_s.begin())];
  const double expected = static_cast<double>(times.size()) / static_cast<double>(study.targets);
  double statistic = 0;
  for (const std::size_t count : study.slowest)
    statistic += std::pow(static_cast<double>(count) - expected, 2) / expected;
  study.slowest_p = boost::math::cdf(
      boost::math::complement(boost::math::chi_squared(static_cast<double>(study.targets - 1)), statistic));
  // The test wants about five expected in each class.
  study.targets_alike = expected < 5 || study.slowest_p >= alpha;
}

void put_in_words(StripeStudy& study) {
  const auto say = [&study](std::string text) { study.verdict.push_back(std::move(text)); };
  if (study.order.dependent)
    say(
        fmt::format("writes depend on the ones before (lag-1 autocorrelation {:.2f}): {} runs are worth "
                    "{:.0f} independent ones",
                    study.order.lag_one, study.runs, study.order.effective_n));
  if (study.targets > 1 && !study.targets_independent)
    say(fmt::format(
        "targets are not independent: mean correlation {:.2f} ({:.2f} to {:.2f}), p {:.2g}; they share a "
        "bottleneck, and "
        "the slowest of m is not what m independent targets would give",
        study.mean_correlation, study.least_correlation, study.greatest_correlation, study.correlation_p));
  if (study.targets > 1 && !study.targets_alike)
    say(fmt::format(
        "targets are not alike: how often each is the slowest differs more than chance allows, p {:.2g}",
        study.slowest_p));
  if (study.targets == 0)
    say("the parts of a write cannot be seen here: whether targets are independent and alike is not known");
  else if (study.targets == 1)
    say("one target: T is its own time, not the largest of several");
  if (study.assumptions_hold() && study.targets > 1)
    say("nothing speaks against independent, alike targets: the extreme value fit has its ground");
  else if (!study.assumptions_hold())
    say("the assumption of independent, identically distributed times fails; the fit describes these runs, "
        "its extrapolation "
        "to other numbers of targets is not supported");
}

}  // namespace

StripeStudy study_stripes(std::span<const StripeTimes> times, double alpha) {
  StripeStudy study;
  study.runs = times.size();
  std::vector<double> totals;
  for (const StripeTimes& run : times) totals.push_back(run.total_s);
  study.targets = times.empty() ? 0 : times.front().parts_s.size();
  auto fit = stats::fit_gev(totals);
  if (fit) {
    study.fit = *std::move(fit);
    if (auto gumbel = stats::fit_gumbel(totals)) study.gumbel = *std::move(gumbel);
    if (auto shape = stats::profile_shape(totals, *study.fit)) study.shape = *shape;
  } else {
    study.no_fit = fit.error().text();
  }
  if (totals.size() >= 10) {
    study.order = stats::test_dependence(totals, alpha);
    study.runs_independent = !study.order.dependent;
  }
  if (study.targets > 1 && totals.size() >= 10) {
    correlate(times, alpha, study);
    count_slowest(times, alpha, study);
  }
  put_in_words(study);
  return study;
}

Json to_json(const StripeStudy& study) {
  Json json = {{"runs", study.runs}, {"targets", study.targets == 0 ? Json(nullptr) : Json(study.targets)}};
  if (study.fit) {
    const auto& p = study.fit->parameters;
    const auto& se = study.fit->standard_errors;
    json["gev"] = {{"location", p.location},
                   {"scale", p.scale},
                   {"shape", p.shape},
                   {"location_se", json_number(se[0])},
                   {"scale_se", json_number(se[1])},
                   {"shape_se", json_number(se[2])},
                   {"log_likelihood", study.fit->log_likelihood},
                   {"converged", study.fit->converged}};
    json["gev"]["shape_low"] = study.shape ? json_number(study.shape->low) : Json(nullptr);
    json["gev"]["shape_high"] = study.shape ? json_number(study.shape->high) : Json(nullptr);
    json["gev"]["gumbel_p"] =
        study.gumbel ? json_number(stats::test_gumbel(*study.fit, *study.gumbel).p_value) : Json(nullptr);
  } else {
    json["gev"] = nullptr;
    json["no_fit"] = study.no_fit;
  }
  json["autocorrelation"] = {{"lag_1", json_number(study.order.lag_one)},
                             {"p_value", json_number(study.order.p_value)},
                             {"effective_n", json_number(study.order.effective_n)}};
  if (study.correlation.empty()) {
    json["correlation"] = nullptr;
    json["slowest"] = nullptr;
  } else {
    json["correlation"] = {{"mean", json_number(study.mean_correlation)},
                           {"least", json_number(study.least_correlation)},
                           {"greatest", json_number(study.greatest_correlation)},
                           {"p_value", json_number(study.correlation_p)},
                           {"matrix", study.correlation}};
    json["slowest"] = {{"counts", study.slowest}, {"p_value", json_number(study.slowest_p)}};
  }
  json["assumptions_hold"] = study.targets > 1 ? Json(study.assumptions_hold()) : Json(nullptr);
  json["verdict"] = study.verdict;
  return json;
}

}  // namespace weir::campaign
