#pragma once

#include <cstdint>
#include <span>

#include "base/json_fwd.hpp"

namespace weir::study {

// A sample of times in short.
struct Level {
  std::size_t n = 0;
  double median = 0;
  double low = 0, high = 0;  // of the median, from order statistics; infinite where there are too few runs
  double least = 0, most = 0;
};

Level level_of(std::span<const double> times);

// How many times shorter the second sample's times are than the first's: the ratio of their medians, with an
// interval of 95 % from resampling both, and how likely such a difference is by chance alone.
struct Gain {
  double factor = 1;
  double low = 1, high = 1;
  double p = 1;
};

// Both not empty and above zero. The same seed gives the same bits.
Gain gain_of(std::span<const double> before, std::span<const double> after, std::uint64_t seed = 1);

Json to_json(const Level& level);
Json to_json(const Gain& gain);

}  // namespace weir::study
