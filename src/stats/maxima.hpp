#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "stats/mixture.hpp"
#include "stats/samples.hpp"

namespace weir::stats {

// The largest of each `block` consecutive values; a last block that is not full is left over.
struct BlockMaxima {
  std::vector<double> maxima;
  std::size_t block = 0;
  std::size_t left_over = 0;
};
Result<BlockMaxima> block_maxima(std::span<const double> values, std::size_t block);

// The largest of each group: the time of every parallel write, where a group holds the times of its targets.
std::vector<double> slowest_per_group(const Samples& samples);

// The time of a parallel write that waits for the slowest of m targets, when each target's time follows the
// same distribution F and they are independent: F^m.
struct SlowestOf {
  double targets = 1;
  double mean = 0;  // +inf where F has none
  double median = 0;
  double low = 0;   // 5 % of writes are faster
  double high = 0;  // 5 % are slower
  // The extreme value distribution that F^m comes close to: its shape tells how times grow with m, as m^shape
  // above 0, as log m at 0, towards a bound below 0. `distance` is the largest gap between the two CDFs.
  Parameters limit;
  double distance = 0;
};
SlowestOf slowest_of(const Mixture& one_target, double targets);
// For m = 1, 2, 4, ... up to `most`, and `most` itself.
std::vector<SlowestOf> slowest_growth(const Mixture& one_target, double most);

// The distribution of the slowest of m·factor targets from that of the slowest of m. The extreme value
// distributions are the ones that keep their shape in this (max-stability). A factor below 1 goes back
// towards one target.
Parameters scale_targets(const Parameters& gev, double factor);

}  // namespace weir::stats
