#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "semantics/event.hpp"
#include "semantics/order/activity.hpp"
#include "semantics/order/clock_skew.hpp"
#include "trace/trace_file.hpp"

namespace weir::semantics {

// What time stamps say, where nothing else does. Exact ones only: a trace that keeps times approximately has
// none to offer.
class TimeOrder {
 public:
  static bool serves(const trace::TraceFile& trace) { return trace.timing() == trace::TimingMode::lossless; }

  TimeOrder() = default;
  TimeOrder(const trace::TraceFile& trace, std::span<ProcessActivity> processes);

  bool serves() const { return serves_; }
  bool before(const Event& first, const Event& second) const;
  const ClockSkew& skew() const { return skew_; }
  std::size_t bytes() const;

 private:
  // What to subtract from the times of a process to get those of the first machine; unknown for machines
  // whose clocks were never compared.
  struct Clock {
    std::uint32_t host = 0;
    std::optional<std::int64_t> offset;
  };

  std::vector<std::vector<std::vector<Span>>> times_;  // by process and stream
  std::vector<Clock> clocks_;
  ClockSkew skew_;
  bool serves_ = false;
};

}  // namespace weir::semantics
