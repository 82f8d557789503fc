#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "stats/dependence.hpp"
#include "stats/gev.hpp"
#include "stats/gev_profile.hpp"

namespace weir::campaign {

// Times of one striped write: T, and S_i of each target where they can be seen.
struct StripeTimes {
  double total_s = 0;
  std::vector<double> parts_s;
};

// Whether the times of striped writes are what extreme value theory wants: T the largest of m independent
// times of one distribution, write after write independent too.
struct StripeStudy {
  std::size_t runs = 0;
  std::size_t targets = 0;  // 0: the parts cannot be seen
  std::optional<stats::GevFit> fit;
  std::optional<stats::GevFit> gumbel;
  std::optional<stats::ProfileInterval> shape;
  std::string no_fit;  // why there is none

  stats::Dependence order;  // of T, in the order of the runs

  // Of S_i and S_j over the runs (Pearson's), row by row; the mean, least and greatest of the pairs.
  std::vector<std::vector<double>> correlation;
  double mean_correlation = 0, least_correlation = 0, greatest_correlation = 0;
  double correlation_p = 1;          // that targets with independent times show such a mean
  std::vector<std::size_t> slowest;  // how often each target was
  double slowest_p = 1;              // that equal targets show such counts; the chi-squared test

  bool runs_independent = true, targets_independent = true, targets_alike = true;
  bool assumptions_hold() const { return runs_independent && targets_independent && targets_alike; }
  std::vector<std::string> verdict;  // in words
};

StripeStudy study_stripes(std::span<const StripeTimes> times, double alpha = 0.01);

Json to_json(const StripeStudy& study);

}  // namespace weir::campaign
