#pragma once

#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "semantics/order/activity.hpp"
#include "semantics/order/scanner.hpp"
#include "trace/trace_file.hpp"

namespace weir::semantics {

struct ScanOptions {
  bool salvage = false;  // go on behind damaged blocks, and say that the process is incomplete
  bool times = false;    // keep those of every record
};

// Keeps of the records of a process what makes an order. Records come stream after stream, each stream's in
// their order.
class ProcessScan {
 public:
  ProcessScan(const trace::TraceFile& trace, std::uint32_t process, const detail::ProcessClock& clock,
              const Contexts& contexts, std::span<const MpiCall> calls, const ScanOptions& options);
  ProcessScan(const ProcessScan&) = delete;  // the scanner fills the activity
  ProcessScan& operator=(const ProcessScan&) = delete;
  ~ProcessScan() = default;

  void begin_stream(std::uint32_t stream);
  void take(const trace::Record& record);
  void lose_records() { activity_.incomplete = true; }
  void end_stream() { activity_.streams[stream_].nesting.finish(); }
  ProcessActivity finish();

 private:
  const trace::ProcessInfo* process_;
  ScanOptions options_;
  ProcessActivity activity_;
  Scanner scanner_;
  std::uint32_t stream_ = 0;
  std::size_t thread_ = 0;  // the next one of the stream to take over
};

// Reads all records of a process.
Result<ProcessActivity> scan_process(const trace::TraceFile& trace, std::uint32_t process,
                                     const detail::ProcessClock& clock, const Contexts& contexts,
                                     std::span<const MpiCall> calls, const ScanOptions& options);

}  // namespace weir::semantics
