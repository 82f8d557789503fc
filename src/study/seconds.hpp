#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "base/units.hpp"

namespace weir::study {

inline double now_s() { return 1e-9 * static_cast<double>(Clock::monotonic().count); }

// As people read them.
inline std::string seconds(double value) {
  return format_duration(Nanoseconds(static_cast<std::int64_t>(value * 1e9)));
}

}  // namespace weir::study
