#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.hpp"

namespace weir::trace {

// How start times and durations are kept. The numbers are part of the trace format.
enum class TimingMode : std::uint8_t {
  off = 0,       // not at all
  lossless = 1,  // every nanosecond
  mean = 2,      // count, mean, minimum and maximum per signature
  cfg = 3,       // exponential bins, a grammar per sequence
  hist = 4,      // exponential bins, the frequent ones in few bits
  quant = 5,     // a codebook and a predictor, adaptive arithmetic coding
  zfp = 6,       // logarithms through the zfp library
};

std::string_view name(TimingMode mode);
std::optional<TimingMode> find_timing_mode(std::string_view name);
std::span<const TimingMode> timing_modes();
bool is_bounded(TimingMode mode);  // the modes that keep to TimingOptions::error

inline constexpr double kSmallestTimingError = 0.0001;
inline constexpr double kLargestTimingError = 0.5;

struct TimingOptions {
  TimingMode mode = TimingMode::lossless;
  // For the bounded modes: |decoded duration - duration| <= error * duration, and
  // |decoded start - start| <= error * |start - start of the record before|. Zeros come back exactly.
  double error = 0.1;
  // Overrides `error` for signature i where it is longer than i and the value is not 0.
  std::span<const double> error_of_signature;
  // For quant and zfp: the durations of one signature stand together.
  bool clustered = true;
};

// An Error that names the bad value and the valid range.
Result<void> check(const TimingOptions& options);

}  // namespace weir::trace
