#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "surface/gp/gaussian.hpp"
#include "surface/map_data.hpp"
#include "surface/scaling.hpp"

namespace weir::surface {

// A distribution as its quantiles at fixed probabilities, with a band for each.
struct QuantileFunction {
  std::vector<double> probability;
  std::vector<double> quantile;  // ascending
  std::vector<double> low;       // of the band; empty where none was asked for
  std::vector<double> high;

  double cdf(double value) const;  // piecewise linear
};

// The largest distance between a distribution and the empirical one of a sample.
double kolmogorov_distance(const QuantileFunction& model, std::span<const double> sample);
// The same for two samples.
double kolmogorov_distance(std::span<const double> a, std::span<const double> b);

// Interpolates whole distributions over a map: every quantile (its logarithm, where all runs are above 0) is
// a surface of its own, all with the kernel and weights of one Gaussian process. A mode that moves with a
// factor moves in between, where averages of densities would show both places.
class DistributionMap {
 public:
  static Result<DistributionMap> fit(const MapData& map, std::uint64_t seed,
                                     const std::vector<Eigen::Index>& rows = {});

  QuantileFunction predict(const Eigen::VectorXd& at, double level) const;
  const Scaling& scaling() const { return *scaling_; }

 private:
  std::shared_ptr<const Scaling> scaling_;
  std::shared_ptr<const Gaussian> surface_;  // of the median; gives kernel and relative variance
  Eigen::MatrixXd at_;                       // coordinates of the data
  Eigen::MatrixXd weights_;                  // K^-1 (quantiles - mean), a column a probability
  Eigen::RowVectorXd mean_;
  Eigen::RowVectorXd
      spread_;  // of each quantile's leave-one-out errors, in standard deviations of the surface
  std::vector<double> probability_;
  bool log_ = false;
};

// How well distributions of held-out configurations are predicted: mean Kolmogorov distances.
struct DistributionScore {
  double predicted = 0;
  double neighbour = 0;  // the sample of the nearest configuration instead
  double overall = 0;    // all runs of the training configurations instead
  int count = 0;         // of held-out configurations
};
Result<DistributionScore> score_distributions(const MapData& map, int folds, std::uint64_t seed,
                                              unsigned threads);

}  // namespace weir::surface
