#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stats/mixture.hpp"
#include "stats/rank_tests.hpp"

namespace weir::stats::detail {

// The probability of a value at least as bad under a model that was itself estimated from few values. The
// plain tail probability of a new value is not uniform then: too small ones come up too often. Refits of
// samples drawn from the fit show by how much, and correct it (Beran, "Calibrating prediction regions",
// J. Am. Stat. Assoc. 85 (1990)).
class CalibratedTail {
 public:
  CalibratedTail(std::span<const double> baseline, const Mixture& model, Better better, std::size_t refits,
                 std::uint64_t seed);

  double plain(double x) const;
  // The probability, over samples and a new value drawn from the fit, of a plain tail at or below this one.
  double calibrated(double plain_tail) const;
  std::size_t refits() const { return refitted_.size(); }

 private:
  Mixture model_;
  Better better_;
  std::vector<Mixture> refitted_;
};

}  // namespace weir::stats::detail
