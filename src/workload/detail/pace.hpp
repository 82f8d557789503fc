#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include "base/clock.hpp"
#include "workload/detail/lane.hpp"
#include "workload/job.hpp"

namespace weir::workload::detail {

// When a periodic job's workers may move records. They sleep in the silent phases: a busy wait would take the
// processor from whoever is measured beside them.
class Pace {
 public:
  explicit Pace(const Job& job)
      : period_(job.duty < 1 ? job.period.count : 0),
        active_(static_cast<std::int64_t>(job.duty * static_cast<double>(job.period.count))) {}

  void wait_for_turn(const Lane& lane) const {
    if (period_ == 0) [[likely]]
      return;
    for (;;) {
      const std::int64_t into = Clock::wall().count % period_;
      if (into < active_ || lane.told_to_stop()) return;
      std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(period_ - into, kGlance)));
    }
  }

 private:
  static constexpr std::int64_t kGlance = 20'000'000;  // how long a sign to stop may go unseen

  std::int64_t period_;
  std::int64_t active_;
};

}  // namespace weir::workload::detail
