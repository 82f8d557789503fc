#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "campaign/store.hpp"

namespace weir::campaign {

struct CompareOptions {
  double alpha = 0.05;          // probability of a false alarm in the whole comparison
  double tolerance = 0.05;      // changes within this share do not matter
  bool with_disturbed = false;  // failed runs are never compared
};

enum class Change { faster, slower, same, inconclusive };
std::string_view name(Change change);

// One configuration that both campaigns ran.
struct Comparison {
  Levels levels;
  std::size_t before_n = 0, after_n = 0;  // runs compared
  double before_median = 0, after_median = 0;
  // After by before: the median of the ratios of all pairs (Hodges and Lehmann 1963, on logarithms) and its
  // interval of confidence 1 - alpha from the rank test; infinite where runs are too few for one.
  double ratio = 1, low = 0, high = 0;
  double p = 1;         // two-sided Wilcoxon rank-sum test of throughputs
  double adjusted = 1;  // by Holm (1979) for all configurations
  Change change = Change::inconclusive;
};

enum class Outcome { pass, regression, inconclusive };
std::string_view name(Outcome outcome);

struct CompareReport {
  std::vector<std::string> factors;
  std::vector<Comparison> configurations;
  std::size_t faster = 0, slower = 0, same = 0, inconclusive = 0;
  std::size_t only_before = 0, only_after = 0;  // configurations without a partner that has runs
  std::size_t left_out = 0;                     // runs: failed, disturbed, or without a throughput
  Outcome outcome = Outcome::pass;              // regression if one is slower; pass if all are same or faster
};

// A configuration is the same when its interval lies within the tolerance; slower or faster when the test
// says so after correction; otherwise inconclusive. Holm's correction and not a false discovery rate, because
// one false alarm already fails the build that asked. Factors may stand in another order but must be the
// same.
Result<CompareReport> compare_campaigns(const Store& before, std::int64_t before_campaign, const Store& after,
                                        std::int64_t after_campaign, const CompareOptions& options = {});

// The same for values at hand: adjusted and change are left for judge(), which takes all comparisons
// together.
Comparison compare_samples(std::vector<double> before, std::vector<double> after, double alpha);
void judge(std::vector<Comparison>& all, const CompareOptions& options);

}  // namespace weir::campaign
