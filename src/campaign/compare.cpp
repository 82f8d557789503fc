#include "campaign/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "base/check.hpp"
#include "campaign/detail/rank_sum.hpp"

namespace weir::campaign {
namespace {

double median_of(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
}

// Throughputs by configuration, whose levels stand in the order of `factors`.
struct Side {
  std::map<Levels, std::vector<double>> values;
  std::size_t left_out = 0;
};

Result<Side> read_side(const Store& store, std::int64_t campaign, const std::vector<std::string>& own,
                       const std::vector<std::string>& factors, bool with_disturbed) {
  std::vector<std::size_t> places;
  for (const std::string& factor : factors)
    places.push_back(static_cast<std::size_t>(std::find(own.begin(), own.end(), factor) - own.begin()));
  Side side;
  auto read = store.for_each_run(campaign, false, [&](const RunRow& run, const Levels& levels) {
    const bool usable = run.state == RunState::ok || (run.state == RunState::disturbed && with_disturbed);
    if (!usable || !run.throughput || !(*run.throughput > 0)) {
      ++side.left_out;
      return;
    }
    Levels key;
    for (const std::size_t place : places) key.push_back(place < levels.size() ? levels[place] : "");
    side.values[std::move(key)].push_back(*run.throughput);
  });
  if (!read) return read.error();
  return side;
}

Result<void> check_same_factors(std::vector<std::string> before, std::vector<std::string> after) {
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  std::vector<std::string> apart;
  std::set_symmetric_difference(before.begin(), before.end(), after.begin(), after.end(),
                                std::back_inserter(apart));
  if (apart.empty()) return {};
  return Error{Errc::usage, fmt::format("the campaigns differ in their factors: {} is in one of them only",
                                        fmt::join(apart, ", "))}
      .with_remedy("compare campaigns of the same factors");
}

}  // namespace

std::string_view name(Change change) {
  switch (change) {
    case Change::faster:
      return "faster";
    case Change::slower:
      return "slower";
    case Change::same:
      return "same";
    case Change::inconclusive:
      return "inconclusive";
  }
  WEIR_CHECK(false, "no such change");
}

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return "pass";
    case Outcome::regression:
      return "regression";
    case Outcome::inconclusive:
      return "inconclusive";
  }
  WEIR_CHECK(false, "no such outcome");
}

Comparison compare_samples(std::vector<double> before, std::vector<double> after, double alpha) {
  WEIR_CHECK(!before.empty() && !after.empty());
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  Comparison one;
  one.before_n = before.size();
  one.after_n = after.size();
  one.before_median = median_of(before);
  one.after_median = median_of(after);
  one.p = detail::rank_sum_p(before, after);
  for (std::vector<double>* side : {&before, &after})
    for (double& value : *side) value = std::log(value);
  const detail::ShiftInterval shift = detail::typical_shift(before, after, alpha);
  one.ratio = std::exp(shift.estimate);
  one.low = std::exp(shift.low);
  one.high = std::exp(shift.high);
  return one;
}

void judge(std::vector<Comparison>& all, const CompareOptions& options) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return all[a].p < all[b].p; });
  double greatest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    greatest = std::max(greatest, std::min(1.0, static_cast<double>(all.size() - i) * all[order[i]].p));
    all[order[i]].adjusted = greatest;
  }
  for (Comparison& one : all) {
    if (one.low >= 1 / (1 + options.tolerance) && one.high <= 1 + options.tolerance)
      one.change = Change::same;
    else if (one.adjusted <= options.alpha)
      one.change = one.ratio < 1 ? Change::slower : Change::faster;
    else
      one.change = Change::inconclusive;
  }
}

Result<CompareReport> compare_campaigns(const Store& before, std::int64_t before_campaign, const Store& after,
                                        std::int64_t after_campaign, const CompareOptions& options) {
  if (!(options.alpha > 0 && options.alpha < 1)) return Error{Errc::usage, "alpha is between 0 and 1"};
  if (!(options.tolerance >= 0)) return Error{Errc::usage, "the tolerance is not below 0"};
  const auto before_facts = before.campaign(before_campaign);
  if (!before_facts) return before_facts.error();
  const auto after_facts = after.campaign(after_campaign);
  if (!after_facts) return after_facts.error();
  CompareReport report;
  report.factors = before_facts->factors;
  if (auto same = check_same_factors(report.factors, after_facts->factors); !same) return same.error();
  const auto old = read_side(before, before_campaign, report.factors, report.factors, options.with_disturbed);
  if (!old) return old.error();
  const auto fresh =
      read_side(after, after_campaign, after_facts->factors, report.factors, options.with_disturbed);
  if (!fresh) return fresh.error();
  report.left_out = old->left_out + fresh->left_out;

  for (const auto& [levels, values] : old->values) {
    const auto partner = fresh->values.find(levels);
    if (partner == fresh->values.end()) {
      ++report.only_before;
      continue;
    }
    report.configurations.push_back(compare_samples(values, partner->second, options.alpha));
    report.configurations.back().levels = levels;
  }
  report.only_after = fresh->values.size() - report.configurations.size();
  if (report.configurations.empty())
    return Error{Errc::usage, "no configuration has runs in both campaigns"}.with_remedy(
        "compare campaigns of the same grid");
  judge(report.configurations, options);
  for (const Comparison& one : report.configurations) switch (one.change) {
      case Change::faster:
        ++report.faster;
        break;
      case Change::slower:
        ++report.slower;
        break;
      case Change::same:
        ++report.same;
        break;
      case Change::inconclusive:
        ++report.inconclusive;
        break;
    }
  report.outcome = report.slower > 0         ? Outcome::regression
                   : report.inconclusive > 0 ? Outcome::inconclusive
                                             : Outcome::pass;
  return report;
}

}  // namespace weir::campaign
