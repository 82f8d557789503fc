#include "semantics/detail/follow_trace.hpp"

#include <algorithm>
#include <mutex>
#include <optional>

#include "base/parallel.hpp"
#include "semantics/detail/follower.hpp"

namespace weir::semantics::detail {
namespace {

constexpr std::uint64_t kReportEvery = 1 << 16;

// Processes that may share descriptors: one and all that came from it.
std::vector<std::vector<std::uint32_t>> families_of(const trace::TraceFile& trace) {
  const auto processes = trace.processes();
  std::vector<std::uint32_t> root(processes.size());
  std::vector<std::vector<std::uint32_t>> families;
  std::vector<std::uint32_t> family_of(processes.size(), kNone);
  for (std::uint32_t i = 0; i < processes.size(); ++i) root[i] = i;
  const auto find = [&](std::uint32_t one) {
    while (root[one] != one) one = root[one] = root[root[one]];
    return one;
  };
  for (std::uint32_t i = 0; i < processes.size(); ++i)
    if (const std::int64_t parent = processes[i].parent;
        parent >= 0 && static_cast<std::size_t>(parent) < processes.size())
      root[find(i)] = find(static_cast<std::uint32_t>(parent));
  for (std::uint32_t i = 0; i < processes.size(); ++i) {
    std::uint32_t& family = family_of[find(i)];
    if (family == kNone) {
      family = static_cast<std::uint32_t>(families.size());
      families.emplace_back();
    }
    families[family].push_back(i);
  }
  return families;
}

// A stream and its next record. Records of a stream stay in their order, whatever their times say.
struct Source {
  std::uint32_t process = 0;
  std::uint32_t stream = 0;
  trace::RecordReader reader;
  trace::Record record;
  std::int64_t key = 0;
  ProcessClock clock;
};

class Family {
 public:
  Family(const trace::TraceFile& trace, std::span<const CallInfo> calls, const HostClocks& clocks,
         const RebuildOptions& options)
      : trace_(&trace), options_(&options), clocks_(&clocks), follower_(trace, calls, clocks) {}

  // The only process, with one stream only: its records come as an order wants them.
  void also_scan(ProcessScan& scan) {
    scan_ = &scan;
    scan.begin_stream(0);
  }

  Result<Collected> follow(const std::vector<std::uint32_t>& processes) {
    for (const std::uint32_t process : processes) {
      const auto& streams = trace_->processes()[process].streams;
      follower_.begin(process, static_cast<std::uint32_t>(streams.size()));
      for (std::uint32_t stream = 0; stream < streams.size(); ++stream)
        sources_.push_back(
            {process, stream, {*trace_, process, stream}, {}, INT64_MIN, clocks_->of(process)});
    }
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (advance(sources_[i])) heap_.push_back(i);
    const auto later = [&](std::size_t a, std::size_t b) {
      if (sources_[a].key != sources_[b].key) return sources_[a].key > sources_[b].key;
      return a > b;
    };
    std::make_heap(heap_.begin(), heap_.end(), later);
    while (!heap_.empty()) {
      Source& first = sources_[heap_.front()];
      if (heap_.size() == 1) {
        do give(first);
        while (advance(first));
        heap_.clear();
        break;
      }
      give(first);
      std::pop_heap(heap_.begin(), heap_.end(), later);
      if (advance(first))
        std::push_heap(heap_.begin(), heap_.end(), later);
      else
        heap_.pop_back();
    }
    if (options_->advance) options_->advance(unreported_);
    if (error_) return *error_;
    return follower_.take();
  }

 private:
  void give(const Source& source) {
    follower_.record(source.process, source.stream, source.record, source.reader);
    if (scan_ != nullptr) scan_->take(source.record);
    if (options_->also) options_->also(source.process, source.record);
    if (++unreported_ < kReportEvery) return;
    if (options_->advance) options_->advance(unreported_);
    unreported_ = 0;
  }

  bool advance(Source& source) {
    while (!source.reader.next(source.record)) {
      if (!source.reader.error()) {
        follower_.end(source.process);
        return false;
      }
      if (!options_->salvage) {
        if (!error_) error_ = *source.reader.error();
        return false;
      }
      if (scan_ != nullptr) scan_->lose_records();
      if (!source.reader.skip_damage()) {
        follower_.end(source.process);
        return false;
      }
    }
    const std::int64_t end =
        source.clock.at(source.record.start_ns) + static_cast<std::int64_t>(source.record.duration_ns);
    source.key = std::max(source.key, end);
    return true;
  }

  const trace::TraceFile* trace_;
  const RebuildOptions* options_;
  const HostClocks* clocks_;
  Follower follower_;
  ProcessScan* scan_ = nullptr;
  std::vector<Source> sources_;
  std::vector<std::size_t> heap_;
  std::uint64_t unreported_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<std::vector<Collected>> follow_trace(const trace::TraceFile& trace, const RebuildOptions& options,
                                            Reading& reading) {
  const std::vector<CallInfo> calls = call_infos(trace.tables().functions);
  const auto families = families_of(trace);
  std::vector<Collected> collected(families.size());
  std::vector<std::optional<Error>> errors(families.size());
  parallel_for(
      families.size(),
      [&](std::size_t i) {
        Family family(trace, calls, reading.clocks(), options);
        std::optional<ProcessScan> scan;
        const std::uint32_t first = families[i].front();
        if (options.ordered && families[i].size() == 1 && trace.processes()[first].streams.size() == 1)
          family.also_scan(reading.scan(scan, first));
        auto one = family.follow(families[i]);
        if (one)
          collected[i] = *std::move(one);
        else
          errors[i] = one.error();
        if (!scan || errors[i]) return;
        scan->end_stream();
        reading.put(first, scan->finish());
      },
      options.threads);
  for (const auto& error : errors)
    if (error) return error->in(trace.path().string());
  return collected;
}

}  // namespace weir::semantics::detail
