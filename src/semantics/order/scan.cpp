#include "semantics/order/scan.hpp"

namespace weir::semantics {

ProcessScan::ProcessScan(const trace::TraceFile& trace, std::uint32_t process,
                         const detail::ProcessClock& clock, const Contexts& contexts,
                         std::span<const MpiCall> calls, const ScanOptions& options)
    : process_(&trace.processes()[process]),
      options_(options),
      scanner_(process, contexts, calls, trace.tables().functions, clock, activity_) {
  activity_.streams.resize(process_->streams.size());
}

void ProcessScan::begin_stream(std::uint32_t stream) {
  stream_ = stream;
  thread_ = 0;
  const trace::StreamInfo& about = process_->streams[stream];
  activity_.incomplete = activity_.incomplete || about.lost > 0 || about.damaged > 0;
  if (options_.times) activity_.streams[stream].times.resize(about.records);
}

void ProcessScan::take(const trace::Record& record) {
  const auto& threads = process_->streams[stream_].threads;
  StreamActivity& kept = activity_.streams[stream_];
  bool other = activity_.chains.empty() || activity_.chains.back().stream != stream_;
  while (thread_ < threads.size() && threads[thread_].first_record <= record.index) {
    other = other || thread_ == 0 || threads[thread_].number != threads[thread_ - 1].number;
    ++thread_;
  }
  if (other) {
    scanner_.begin_chain(stream_, record.index, record.thread);
    kept.nesting.change_thread();
  }
  kept.nesting.add(record.index, record.depth);
  if (options_.times)
    kept.times[record.index] = {record.start_ns,
                                record.start_ns + static_cast<std::int64_t>(record.duration_ns)};
  scanner_.take(record);
}

ProcessActivity ProcessScan::finish() {
  for (Chain& chain : activity_.chains) {
    chain.points.shrink_to_fit();
    chain.starts.shrink_to_fit();
    chain.sends.shrink_to_fit();
    chain.receives.shrink_to_fit();
    chain.collectives.shrink_to_fit();
  }
  return std::move(activity_);
}

Result<ProcessActivity> scan_process(const trace::TraceFile& trace, std::uint32_t process,
                                     const detail::ProcessClock& clock, const Contexts& contexts,
                                     std::span<const MpiCall> calls, const ScanOptions& options) {
  ProcessScan scan(trace, process, clock, contexts, calls, options);
  const std::size_t streams = trace.processes()[process].streams.size();
  trace::Record record;
  for (std::uint32_t stream = 0; stream < streams; ++stream) {
    scan.begin_stream(stream);
    trace::RecordReader reader(trace, process, stream);
    for (;;) {
      if (reader.next(record)) {
        scan.take(record);
        continue;
      }
      if (!reader.error()) break;
      if (!options.salvage) return *reader.error();
      scan.lose_records();
      if (!reader.skip_damage()) break;
    }
    scan.end_stream();
  }
  return scan.finish();
}

}  // namespace weir::semantics
