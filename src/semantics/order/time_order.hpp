#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "semantics/detail/host_clocks.hpp"
#include "semantics/event.hpp"
#include "semantics/order/activity.hpp"
#include "trace/trace_file.hpp"

namespace weir::semantics {

// What time stamps say, where nothing else does. Exact ones only: a trace that keeps times approximately has
// none to offer.
class TimeOrder {
 public:
  static bool serves(const trace::TraceFile& trace) { return trace.timing() == trace::TimingMode::lossless; }

  TimeOrder() = default;
  TimeOrder(const trace::TraceFile& trace, detail::HostClocks clocks, std::span<ProcessActivity> processes);

  bool serves() const { return serves_; }
  bool before(const Event& first, const Event& second) const;
  const ClockSkew& skew() const { return clocks_->skew(); }
  std::size_t bytes() const;

 private:
  std::vector<std::vector<std::vector<Span>>> times_;  // by process and stream
  std::optional<detail::HostClocks> clocks_;
  bool serves_ = false;
};

}  // namespace weir::semantics
