#pragma once

#include <span>
#include <string>
#include <vector>

#include "stats/em.hpp"

namespace weir::stats {

struct SelectionOptions {
  std::vector<Family> families{kMixtureFamilies.begin(), kMixtureFamilies.end()};
  int max_components = 5;
  EmOptions em{};
  unsigned threads = 1;  // families side by side; 0: one per core. The result is the same for any number.
};

// One row of the table: a family with k components.
struct Model {
  MixtureFit fit;
  double bic = 0;  // -2 log L + p log n
  double aic = 0;  // -2 log L + 2p
  double icl = 0;  // BIC plus twice the entropy of the responsibilities: prefers components that are apart
  double seconds = 0;  // processor time spent on this k
};

// A family, or some of its component counts, that could not be fitted, and why.
struct LeftOut {
  Family family = Family::normal;
  int components = 0;  // 0: all of them
  std::string reason;
};

struct Selection {
  std::size_t n = 0;
  double spread = 0;  // standard deviation of the values (divisor n)
  // Ascending BIC.
  std::vector<Model> models;
  std::vector<LeftOut> left_out;
  std::string warning;  // empty, or that the two best models are within 2 BIC

  const Model& best() const { return models.front(); }
  // BIC the values would have in units of their spread: what sums over groups with different units need.
  double standardised_bic(const Model& model) const;
};

// Fits every family with every number of components up to the limit and ranks them. All criteria are of the
// values as given, so they compare across families. Families that cannot take the values are left out with a
// reason; fails when none can.
Result<Selection> select_model(std::span<const double> values, const SelectionOptions& options = {});

// What Xu et al. print for many configurations: Table 3 (seconds), Table 4 (BIC and wins by family), Table 5
// (wins by number of components).
struct Totals {
  struct ByFamily {
    Family family = Family::normal;
    double sum_of_best_bic = 0;   // of standardised values, over groups where the family was fitted
    std::size_t groups = 0;       // where it was fitted
    std::size_t best = 0;         // where it won
    std::vector<double> seconds;  // mean processor time by number of components, from 1
    std::vector<double> seconds_deviation;
  };
  std::size_t groups = 0;
  std::size_t close = 0;  // groups whose two best models are within 2 BIC
  std::vector<ByFamily> families;
  std::vector<std::size_t> best_components;  // groups won by k components, from 1
};
Totals totals(std::span<const Selection> selections);

}  // namespace weir::stats
