#pragma once

#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "stats/em.hpp"

namespace weir::stats {

// Largest distance between the sample's distribution function and the mixture's. Values need not be sorted.
double kolmogorov_smirnov(std::span<const double> values, const Mixture& mixture);
// Anderson and Darling's A², which weighs the tails.
double anderson_darling(std::span<const double> values, const Mixture& mixture);

struct GoodnessOptions {
  int replicates = 200;
  std::uint64_t seed = 1;
  unsigned threads = 0;  // 0: one per core. The result is the same for any number.
  EmOptions em{};        // of the refits
};

struct Goodness {
  double ks = 0;
  double ks_p = 0;  // share of replicates, and the sample itself, that fit at most as well
  double ad = 0;
  double ad_p = 0;
  int replicates = 0;
};

// Tests a fitted mixture by parametric bootstrap: samples of the same size are drawn from it, each refitted
// (from the mixture and from k-means), and their distances compared with the sample's. Tables for known
// parameters do not apply to fitted ones. A small p says the mixture does not describe the values.
Result<Goodness> test_goodness(std::span<const double> values, const Mixture& mixture,
                               const GoodnessOptions& options = {});

}  // namespace weir::stats
