#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace weir::trace {

// How ticks of a run become times. Who merges first settles it for all that follow: times that were made with
// another length of a tick, or from another origin, are other bytes.
struct RunClock {
  double nanoseconds_per_tick = 1;
  std::int64_t origin_monotonic = 0;  // time 0 on two clocks, ns
  std::int64_t origin_wall = 0;

  friend bool operator==(const RunClock&, const RunClock&) = default;
};

// Two readings of the clocks so far apart tell the length of a tick to some millionths; of nearer ones it is
// measured anew, which is another length each time.
inline constexpr Nanoseconds kFarEnough{10'000'000};
// A reading after a run that began with `earlier`; after a shorter one it waits.
Calibration::Reading take_reading_far_from(const Calibration::Reading& earlier);

// What was settled; nothing when nobody has yet, or it cannot be read.
std::optional<RunClock> read_run_clock(const std::filesystem::path& directory);

// Settles it while the program runs, from the lanes of this process and of the one that was first; or finds
// that another has.
Result<RunClock> settle_run_clock(const std::filesystem::path& directory, std::uint64_t start_tick,
                                  std::uint64_t process);

}  // namespace weir::trace
