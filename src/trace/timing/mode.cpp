#include "trace/timing/mode.hpp"

#include <array>

#include <fmt/format.h>

namespace weir::trace {

namespace {

constexpr std::array kModes = {TimingMode::off,  TimingMode::lossless, TimingMode::mean, TimingMode::cfg,
                               TimingMode::hist, TimingMode::quant,    TimingMode::zfp};

Result<void> check_error(double error) {
  if (error >= kSmallestTimingError && error <= kLargestTimingError) return {};  // false for a NaN
  return Error{Errc::usage, fmt::format("the bound of the relative error is {}; give {} to {}", error,
                                        kSmallestTimingError, kLargestTimingError)};
}

}  // namespace

std::string_view name(TimingMode mode) {
  switch (mode) {
    case TimingMode::off:
      return "off";
    case TimingMode::lossless:
      return "lossless";
    case TimingMode::mean:
      return "mean";
    case TimingMode::cfg:
      return "cfg";
    case TimingMode::hist:
      return "hist";
    case TimingMode::quant:
      return "quant";
    case TimingMode::zfp:
      return "zfp";
  }
  return "unknown";
}

std::optional<TimingMode> find_timing_mode(std::string_view name_wanted) {
  for (const TimingMode mode : kModes)
    if (name(mode) == name_wanted) return mode;
  return std::nullopt;
}

std::span<const TimingMode> timing_modes() { return kModes; }

bool is_bounded(TimingMode mode) { return mode >= TimingMode::cfg; }

Result<void> check(const TimingOptions& options) {
  if (!is_bounded(options.mode)) return {};
  if (auto fine = check_error(options.error); !fine) return fine;
  for (const double error : options.error_of_signature)
    if (error != 0)
      if (auto fine = check_error(error); !fine) return fine;
  return {};
}

}  // namespace weir::trace
