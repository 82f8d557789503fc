#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/timing/detail/error_bound.hpp"
#include "trace/timing/detail/step.hpp"

namespace weir::trace::detail {

// The times of a block as symbols of exponential bins, for the modes cfg and hist.
struct BinnedTimes {
  // The symbol of an interval that no bin stands for: its step is in the list.
  static constexpr std::uint32_t kStep = 1;

  BinnedTimes() = default;
  BinnedTimes(const TimesView& times, const LocalSignatures& local, const ErrorClasses& classes);
  Result<void> restore(const LocalSignatures& local, const ErrorClasses& classes, const TimesOut& out) const;

  void write_steps(ByteWriter& out) const;
  Result<void> read_steps(ByteReader& in, std::size_t records);

  std::int64_t first_start = 0;
  std::vector<std::uint32_t> durations;  // the bin of each
  // From the second record on, the bin of the time since the start of the record before, as far as decoded:
  // bin * 2, and 1 more when it is negative. Bins of e / (1 + e), since these intervals are off by the error
  // before.
  std::vector<std::uint32_t> intervals;
  std::vector<Step> steps;
};

}  // namespace weir::trace::detail
