#include "semantics/order/time_order.hpp"

#include <algorithm>
#include <map>

namespace weir::semantics {
namespace {

struct Host {
  std::uint32_t number = 0;
  std::optional<std::int64_t> offset;
};

}  // namespace

// Processes of a machine share a clock. MPI compared those of the machines at its beginning and its end: they
// are taken for right in the middle, and the margin is how far the two were apart at most.
TimeOrder::TimeOrder(const trace::TraceFile& trace, std::span<ProcessActivity> processes)
    : serves_(serves(trace)) {
  std::map<std::string, Host> hosts;
  for (const trace::ProcessInfo& process : trace.processes()) {
    const auto [found, fresh] =
        hosts.emplace(process.host, Host{static_cast<std::uint32_t>(hosts.size()), {}});
    if (!process.clock_at_init) continue;
    const std::int64_t end = process.clock_at_finalize.value_or(*process.clock_at_init);
    const std::int64_t drift = std::max(end, *process.clock_at_init) - std::min(end, *process.clock_at_init);
    if (!found->second.offset)
      found->second.offset = *process.clock_at_init + (end - *process.clock_at_init) / 2;
    skew_.margin_ns = std::max(skew_.margin_ns, drift);
  }
  skew_.machines = hosts.size();
  if (hosts.size() <= 1) skew_.margin_ns = 0;
  for (const auto& [name, host] : hosts)
    if (hosts.size() > 1 && !host.offset) skew_.is_measured = false;
  for (const trace::ProcessInfo& process : trace.processes()) {
    const Host& host = hosts.at(process.host);
    clocks_.push_back({host.number, host.offset});
  }
  times_.resize(processes.size());
  for (std::size_t p = 0; p < processes.size(); ++p)
    for (StreamActivity& stream : processes[p].streams) times_[p].push_back(std::move(stream.times));
}

bool TimeOrder::before(const Event& first, const Event& second) const {
  const auto& of_first = times_[first.process][first.thread];
  const auto& of_second = times_[second.process][second.thread];
  if (first.record >= of_first.size() || second.record >= of_second.size()) return false;  // none are kept
  const std::int64_t end = of_first[first.record].end;
  const std::int64_t start = of_second[second.record].start;
  const Clock& one = clocks_[first.process];
  const Clock& other = clocks_[second.process];
  if (one.host == other.host) return end <= start;
  if (!one.offset || !other.offset) return false;
  return end - *one.offset + skew_.margin_ns < start - *other.offset;
}

std::size_t TimeOrder::bytes() const {
  std::size_t sum = 0;
  for (const auto& process : times_)
    for (const auto& stream : process) sum += stream.capacity() * sizeof(Span);
  return sum;
}

}  // namespace weir::semantics
