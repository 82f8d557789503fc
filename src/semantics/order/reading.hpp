#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "semantics/detail/host_clocks.hpp"
#include "semantics/order/contexts.hpp"
#include "semantics/order/mpi_call.hpp"
#include "semantics/order/scan.hpp"
#include "trace/trace_file.hpp"

namespace weir::semantics {

// The records of a trace on their way to an Order. Who reads them anyway may give those of some processes
// here, so that they are not read twice. Processes may be scanned side by side.
class Reading {
 public:
  // `threads`: for what nobody else reads; 0: one per core.
  Reading(const trace::TraceFile& trace, bool salvage, unsigned threads);

  const trace::TraceFile& trace() const { return *trace_; }
  const Contexts& contexts() const { return contexts_; }
  const std::vector<MpiCall>& calls() const { return calls_; }
  const detail::HostClocks& clocks() const { return clocks_; }
  unsigned threads() const { return threads_; }

  ProcessScan& scan(std::optional<ProcessScan>& made, std::uint32_t process) const {
    return made.emplace(*trace_, process, clocks_.of(process), contexts_, calls_, how_);
  }
  void put(std::uint32_t process, ProcessActivity activity) { done_[process] = std::move(activity); }
  // Reads the processes that are left.
  Result<std::vector<ProcessActivity>> take();

 private:
  const trace::TraceFile* trace_;
  detail::HostClocks clocks_;
  Contexts contexts_;
  std::vector<MpiCall> calls_;
  ScanOptions how_;
  unsigned threads_;
  std::vector<std::optional<ProcessActivity>> done_;  // by process
};

}  // namespace weir::semantics
