#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace weir::interference {

// Of each kind, for an interval. Seven would do for the order statistics below, but then a single run that
// something held up is an end of it, and the interval as wide as the accident.
inline constexpr std::size_t kRunsForInterval = 9;

// How much slower a program is beside another: (alone - beside) / alone, in percent. Negative: faster.
struct Degradation {
  double percent = std::numeric_limits<double>::quiet_NaN();  // of the medians
  // An interval with a coverage of at least 95 %, whatever the distributions: each median lies between two of
  // its order statistics with at least 97.5 %. Infinite ends below kRunsForInterval runs.
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  // As the source reports it: of the best of the first five runs of each.
  double best_of_five = std::numeric_limits<double>::quiet_NaN();
  std::size_t alone = 0, beside = 0;  // runs
};

// Rates in the order of the runs; an empty span gives no number.
Degradation degradation(std::span<const double> alone, std::span<const double> beside);

// Not a number where there is none.
double median(std::vector<double> values);

// Standard deviation over mean, in percent; not a number below two values.
double variation_percent(std::span<const double> values);

// One almost stops while the other runs almost as if it were alone; never where a loss is not known (NaN).
struct Serialised {
  double loser = 90;   // lost at least, in percent
  double winner = 15;  // lost at most
};
bool serialises(double first_loss_percent, double second_loss_percent, const Serialised& limits = {});

}  // namespace weir::interference
