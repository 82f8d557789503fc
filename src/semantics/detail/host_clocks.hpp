#pragma once

#include <cstdint>
#include <vector>

#include "semantics/detail/process_clock.hpp"
#include "semantics/order/clock_skew.hpp"
#include "trace/trace_file.hpp"

namespace weir::semantics::detail {

// The clocks of a trace's processes. Those of one machine share a clock; MPI compared the machines' at its
// beginning and its end, and a process that took no part in that goes by another one of its machine.
class HostClocks {
 public:
  explicit HostClocks(const trace::TraceFile& trace);

  const ProcessClock& of(std::uint32_t process) const { return clocks_[process]; }
  // Whether the first time, of one process, has passed when the second comes, of another: on one machine as
  // they are, between machines by more than their clocks may be apart.
  bool before(std::uint32_t process, std::int64_t end_ns, std::uint32_t other, std::int64_t start_ns) const;
  const ClockSkew& skew() const { return skew_; }

 private:
  std::vector<ProcessClock> clocks_;
  std::vector<std::uint32_t> hosts_;  // by process
  std::vector<bool> measured_;        // by host
  ClockSkew skew_;
};

}  // namespace weir::semantics::detail
