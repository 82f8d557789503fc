#include "semantics/order/scan.hpp"

#include "semantics/order/scanner.hpp"

namespace weir::semantics {
namespace {

Result<void> scan_stream(const trace::TraceFile& trace, std::uint32_t process, std::uint32_t stream,
                         Scanner& scanner, ProcessActivity& activity, const ScanOptions& options) {
  const trace::StreamInfo& about = trace.processes()[process].streams[stream];
  activity.incomplete = activity.incomplete || about.lost > 0 || about.damaged > 0;
  StreamActivity& kept = activity.streams[stream];
  if (options.times) kept.times.resize(about.records);
  trace::RecordReader reader(trace, process, stream);
  trace::Record record;
  std::size_t thread = 0;  // the next one to take over
  for (;;) {
    if (!reader.next(record)) {
      if (!reader.error()) break;
      if (!options.salvage) return *reader.error();
      activity.incomplete = true;
      if (!reader.skip_damage()) break;
      continue;
    }
    bool other = activity.chains.empty() || activity.chains.back().stream != stream;
    while (thread < about.threads.size() && about.threads[thread].first_record <= record.index) {
      other = other || thread == 0 || about.threads[thread].number != about.threads[thread - 1].number;
      ++thread;
    }
    if (other) {
      scanner.begin_chain(stream, record.index);
      kept.nesting.change_thread();
    }
    kept.nesting.add(record.index, record.depth);
    if (options.times)
      kept.times[record.index] = {record.start_ns,
                                  record.start_ns + static_cast<std::int64_t>(record.duration_ns)};
    scanner.take(record);
  }
  kept.nesting.finish();
  return {};
}

}  // namespace

Result<ProcessActivity> scan_process(const trace::TraceFile& trace, std::uint32_t process,
                                     const Contexts& contexts, std::span<const MpiCall> calls,
                                     const ScanOptions& options) {
  ProcessActivity activity;
  const std::size_t streams = trace.processes()[process].streams.size();
  activity.streams.resize(streams);
  Scanner scanner(process, contexts, calls, trace.tables().functions,
                  detail::ProcessClock(trace.processes()[process]), activity);
  for (std::uint32_t stream = 0; stream < streams; ++stream)
    if (const auto done = scan_stream(trace, process, stream, scanner, activity, options); !done)
      return done.error();
  for (Chain& chain : activity.chains) {
    chain.points.shrink_to_fit();
    chain.starts.shrink_to_fit();
    chain.sends.shrink_to_fit();
    chain.receives.shrink_to_fit();
    chain.collectives.shrink_to_fit();
  }
  return activity;
}

}  // namespace weir::semantics
