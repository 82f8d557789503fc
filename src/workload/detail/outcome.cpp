#include "workload/detail/outcome.hpp"

#include <algorithm>
#include <cmath>

namespace weir::workload::detail {
namespace {

constexpr Nanoseconds kShortest{5'000'000};

}  // namespace

WorkerTimes times_of(const Lane& lane, Tick started, const Calibration& clock) {
  WorkerTimes times;
  times.begin = clock.duration(started, lane.begin);
  times.end = clock.duration(started, lane.end);
  times.open = clock.duration(Tick(0), Tick(lane.opening));
  times.close = clock.duration(Tick(0), Tick(lane.closing));
  times.bytes = Bytes(lane.bytes());
  times.operations = lane.operations;
  return times;
}

Latency latency_of(const Histogram& histogram, double nanoseconds_per_unit) {
  const auto at = [&](double share) {
    return Nanoseconds(std::llround(histogram.quantile(share) * nanoseconds_per_unit));
  };
  Latency latency;
  latency.count = histogram.count();
  latency.p50 = at(0.5);
  latency.p99 = at(0.99);
  latency.p999 = at(0.999);
  latency.max = Nanoseconds(std::llround(static_cast<double>(histogram.max()) * nanoseconds_per_unit));
  return latency;
}

void sum_up(Outcome& outcome) {
  if (outcome.workers.empty()) return;
  Nanoseconds begin = outcome.workers.front().begin;
  Nanoseconds end = outcome.workers.front().end;
  outcome.bytes = Bytes(0);
  for (const WorkerTimes& worker : outcome.workers) {
    begin = std::min(begin, worker.begin);
    end = std::max(end, worker.end);
    outcome.bytes += worker.bytes;
  }
  outcome.whole = end - begin;
}

Calibration calibrate_since(const Calibration::Reading& first) {
  auto last = Calibration::Reading::take();
  while (last.monotonic - first.monotonic < kShortest) last = Calibration::Reading::take();
  return Calibration::between(first, last);
}

}  // namespace weir::workload::detail
