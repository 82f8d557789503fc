#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "workload/detail/lane.hpp"
#include "workload/run.hpp"

namespace weir::workload::detail {

// What one MPI rank tells rank 0. Times are nanoseconds since that rank left the common barrier: clocks of
// different machines run at different rates and from different origins.
struct RankReport {
  using Counts = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // nanoseconds, how many operations

  std::optional<Error> error;
  WorkerTimes times;
  Counts read, write;
  std::uint64_t read_max = 0, write_max = 0;
  std::vector<std::pair<std::int64_t, std::uint64_t>> progress;  // nanoseconds, bytes by then
  std::vector<std::string> notes;
};

RankReport report_of(const Lane& lane, Tick started, const Calibration& clock);

std::vector<std::byte> encode(const RankReport& report);
Result<RankReport> decode(ByteSpan bytes);

// The outcome of all ranks, or the error of the first that failed. The bytes of the interval in which all
// were running are interpolated in each rank's progress.
Result<Outcome> combine(const std::vector<RankReport>& reports);

}  // namespace weir::workload::detail
