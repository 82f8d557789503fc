#pragma once

#include <span>

namespace weir::stats {

// A quantile straight from the sample, with no model.
struct SampleQuantile {
  double q = 0;
  double estimate = 0;
  double low = 0;  // interval between two order statistics; infinite where the sample has none far enough out
  double high = 0;
  double standard_error = 0;  // Maritz and Jarrett (1978)
  double level = 0.95;
};

// `sorted` ascending and not empty, 0 < q < 1. The interval's coverage is at least `level` for any
// distribution: the ranks are quantiles of the binomial count of values below the true quantile. The estimate
// is median-unbiased (Hyndman and Fan's type 8).
SampleQuantile sample_quantile(std::span<const double> sorted, double q, double level = 0.95);

}  // namespace weir::stats
