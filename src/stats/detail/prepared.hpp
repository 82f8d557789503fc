#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "stats/detail/vector.hpp"
#include "stats/family.hpp"

namespace weir::stats::detail {

inline constexpr std::size_t kBlock = 128;  // values per block of a pass; a multiple of kLanes

// What EM sees of a sample: distinct values in ascending order with their counts, so that the order of the
// input cannot matter and ties cost once, each family's coordinate standardised, so that units cannot matter
// either.
//
// Coordinates: `linear` u = (x - mean)/sd for the normal; `log` u = (log x - mean)/sd for Weibull, lognormal,
// log-logistic, and its negative for Fréchet (whose logarithm is a Weibull's mirrored); `gamma` d = x/mean -
// 1 and w = log(1+d) - d. Samples of more than kStored distinct values keep the values alone and compute
// coordinates block by block: 8 bytes a value, and 4 more for the count only where at least half the values
// are ties.
class PreparedSample {
 public:
  static constexpr std::size_t kStored = std::size_t{1} << 16;

  // Values must be finite and not all equal. Positive families need every value above 0; see positive().
  static Result<PreparedSample> make(std::span<const double> values);

  std::size_t total() const { return total_; }             // values counted with their ties
  std::size_t distinct() const { return values_.size(); }  // entries of a pass (ties apart if not compressed)
  double weight_sum() const { return weight_sum_; }
  bool positive() const { return values_.front() > 0; }
  double value(std::size_t i) const { return values_[i]; }
  double weight(std::size_t i) const;

  // Mean and standard deviation (divisor n) of x and of log x.
  double mean() const { return mean_; }
  double spread() const { return spread_; }
  double log_mean() const { return log_mean_; }
  double log_spread() const { return log_spread_; }
  // From the least to the greatest value, of x and of log x, but at most ten standard deviations: one wild
  // value must not set the measure for all others.
  double breadth() const { return breadth_; }
  double log_breadth() const { return log_breadth_; }

  // One block's coordinates, padded to a multiple of kLanes with weight 0.
  struct Block {
    const double* first = nullptr;
    const double* second = nullptr;  // gamma's w
    const double* weight = nullptr;
    std::size_t padded = 0;
  };
  struct Scratch {
    alignas(32) double first[kBlock];
    alignas(32) double second[kBlock];
    alignas(32) double weight[kBlock];
  };
  std::size_t blocks() const { return (values_.size() + kBlock - 1) / kBlock; }
  Block block(Family family, std::size_t index, Scratch& scratch) const;

  // Coordinate of entry i in the family's scale (gamma: d).
  double coordinate(Family family, std::size_t i) const;
  // Σ weight · log(dx/du): what turns a log-likelihood of coordinates into one of x by subtraction.
  double log_jacobian(Family family) const;

  // A smaller sample in its place: neighbours averaged into at most `entries` groups of about equal weight.
  // It keeps this sample's coordinates, so that a State found on one can go on on the other.
  PreparedSample thinned(std::size_t entries) const;

 private:
  void summarise();          // means and spreads
  void store_coordinates();  // of samples up to kStored
  void fill(Family family, std::size_t begin, std::size_t count, double* first, double* second) const;

  std::vector<double> values_;
  std::vector<unsigned> counts_;  // empty: every entry counts once
  std::vector<double> weights_;   // of thinned(); empty otherwise
  std::size_t total_ = 0;
  double weight_sum_ = 0;
  double mean_ = 0, spread_ = 0, log_mean_ = 0, log_spread_ = 0, log_sum_ = 0;
  double breadth_ = 0, log_breadth_ = 0;

  // Stored coordinates (samples up to kStored), padded.
  std::vector<double> linear_, log_, mirrored_, gamma_first_, gamma_second_, padded_weight_;
};

}  // namespace weir::stats::detail
