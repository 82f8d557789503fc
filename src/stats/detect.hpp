#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "stats/dependence.hpp"
#include "stats/mixture.hpp"
#include "stats/rank_tests.hpp"

namespace weir::stats {

struct DetectOptions {
  Better better = Better::higher;
  double alpha = 0.01;       // false alarms for the verdict, both ways of degrading together
  std::size_t refits = 200;  // of the baseline model, to allow for its own uncertainty
  bool power = true;         // also work out what could have been found
  std::uint64_t seed = 1;
};

// How odd one new value is under the baseline model, towards the bad side.
struct ValueTail {
  std::size_t index = 0;  // in the order given
  double value = 0;
  double tail = 1;        // probability of a value at least as bad under the fitted model
  double calibrated = 1;  // the same with the model's own uncertainty taken in (Beran 1990)
  double adjusted = 1;    // for as many looks as there are new values (Holm 1979)
  bool abnormal = false;  // adjusted at or below half of alpha, and worse than every baseline value
};

struct Detection {
  std::size_t baseline_n = 0;
  std::size_t fresh_n = 0;
  std::vector<ValueTail> values;  // empty without a model
  std::size_t abnormal = 0;
  RankTests tests;
  double baseline_median = 0;
  double fresh_median = 0;
  double shift = 0;          // typical difference new - baseline
  double shift_percent = 0;  // of the baseline's median
  bool changed = false;      // the distribution differs in any way, at alpha
  bool improved = false;     // for the better, at alpha / 2
  bool degraded = false;     // the verdict: more bad runs than chance allows, or a single run too bad for it
  double detectable_80_percent =
      0;  // shift for the worse found with 80 % and 90 % probability, of the median
  double detectable_90_percent = 0;
  Dependence dependence;  // of the baseline's runs
  std::size_t batch = 1;  // consecutive runs taken together (their median) where runs depend on each other
  std::vector<std::string> notes;
};

// Compares new runs with a baseline, both in run order. The verdict spends half of alpha on ranks, which
// needs no model, and half on single values under the model; without a model all of it on ranks. A mixture
// model is refitted with its family and number of components.
Result<Detection> detect(std::span<const double> baseline, std::span<const double> fresh,
                         const std::optional<Mixture>& model, const DetectOptions& options = {});

}  // namespace weir::stats
