#pragma once

#include <cstdint>

#include "surface/gp/kernel.hpp"

namespace weir::surface {

struct GaussianSearch {
  GaussianSettings settings;
  double minus_log_likelihood = 0;  // per point
};

// The settings of greatest likelihood on at most `most` of the points, drawn by the seed, for one kernel. The
// mean is a constant, estimated with them. `start` may be a search for the same kernel on fewer points.
GaussianSearch maximise_likelihood(const Eigen::MatrixXd& at, const Eigen::VectorXd& value, Kernel kernel,
                                   Eigen::Index most, std::uint64_t seed,
                                   const GaussianSettings* start = nullptr);

}  // namespace weir::surface
