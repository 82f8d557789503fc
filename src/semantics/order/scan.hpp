#pragma once

#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "semantics/order/activity.hpp"
#include "trace/trace_file.hpp"

namespace weir::semantics {

struct ScanOptions {
  bool salvage = false;  // go on behind damaged blocks, and say that the process is incomplete
  bool times = false;    // keep those of every record
};

// Reads all records of a process and keeps what makes an order.
Result<ProcessActivity> scan_process(const trace::TraceFile& trace, std::uint32_t process,
                                     const Contexts& contexts, std::span<const MpiCall> calls,
                                     const ScanOptions& options);

}  // namespace weir::semantics
