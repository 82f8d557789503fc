#pragma once

#include <string_view>

#include "base/clock.hpp"
#include "workload/detail/lane.hpp"
#include "workload/run.hpp"

// From what workers wrote down to what is told.
namespace weir::workload::detail {

inline constexpr std::string_view kNeverTogether =
    "there was no moment in which all workers were running: the first had ended when the last began";

WorkerTimes times_of(const Lane& lane, Tick started, const Calibration& clock);
Latency latency_of(const Histogram& histogram, double nanoseconds_per_unit);
// Bytes and the whole time from the workers'.
void sum_up(Outcome& outcome);

// Ticks to time over the run itself, or over a little longer when that was too short to say.
Calibration calibrate_since(const Calibration::Reading& first);

}  // namespace weir::workload::detail
