#pragma once

#include <cstddef>
#include <span>

namespace weir::campaign {

// Half the width of the 95 % interval of the median (between order statistics, for any distribution) as a
// share of the median; infinite where there are too few values for one.
double median_half_width(std::span<const double> values);

// Whether a configuration has been run often enough: the median is known to within this share of itself.
// Never with fewer than `at_least` values, whose interval itself is not to be trusted.
bool narrow_enough(std::span<const double> values, double half_width_share, std::size_t at_least = 30);

}  // namespace weir::campaign
