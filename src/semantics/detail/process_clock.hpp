#pragma once

#include <cstdint>

#include "trace/process_info.hpp"

namespace weir::semantics::detail {

// Turns times of a process into those of rank 0's clock: offsets were measured at MPI_Init and MPI_Finalize,
// and what lies between is taken to drift evenly.
class ProcessClock {
 public:
  ProcessClock() = default;
  explicit ProcessClock(const trace::ProcessInfo& process) {
    if (!process.clock_at_init) return;
    offset_ = *process.clock_at_init;
    if (!process.clock_at_finalize) return;
    begin_ = process.start_ns;
    std::int64_t last = begin_;
    for (const trace::StreamInfo& stream : process.streams)
      if (!stream.blocks.empty())
        last = last > stream.blocks.back().last_end_ns ? last : stream.blocks.back().last_end_ns;
    if (last > begin_)
      drift_ = static_cast<double>(*process.clock_at_finalize - offset_) / static_cast<double>(last - begin_);
  }

  std::int64_t at(std::int64_t time_ns) const {
    if (drift_ == 0) return time_ns - offset_;
    return time_ns - offset_ - static_cast<std::int64_t>(drift_ * static_cast<double>(time_ns - begin_));
  }

 private:
  std::int64_t offset_ = 0;
  std::int64_t begin_ = 0;
  double drift_ = 0;
};

}  // namespace weir::semantics::detail
