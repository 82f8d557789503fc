#pragma once

#include <cstdint>

#include "surface/map_data.hpp"

namespace weir::surface {

// How well the responses themselves are known, by resampling the runs of each configuration. Normal theory
// overstates it where runs fall into two groups, as they often do.
struct NoiseFloor {
  // The average relative error of an oracle that knows the true response: nothing predicts better.
  double percent = 0;
  Eigen::Index configurations = 0;  // that had runs to resample
};

// NaN where responses were given without the runs behind them.
NoiseFloor noise_floor(const MapData& map, int resamples, std::uint64_t seed, unsigned threads);

}  // namespace weir::surface
