#include "semantics/detail/host_clocks.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace weir::semantics::detail {

HostClocks::HostClocks(const trace::TraceFile& trace) {
  std::map<std::string, std::uint32_t> numbers;
  std::vector<ProcessClock> of_host;
  for (const trace::ProcessInfo& process : trace.processes()) {
    const auto [found, fresh] = numbers.emplace(process.host, static_cast<std::uint32_t>(numbers.size()));
    hosts_.push_back(found->second);
    if (fresh) {
      of_host.emplace_back();
      measured_.push_back(false);
    }
    if (!process.clock_at_init) continue;
    if (!measured_[found->second]) of_host[found->second] = ProcessClock(process);
    measured_[found->second] = true;
    const std::int64_t end = process.clock_at_finalize.value_or(*process.clock_at_init);
    const std::int64_t drift = std::max(end, *process.clock_at_init) - std::min(end, *process.clock_at_init);
    skew_.margin_ns = std::max(skew_.margin_ns, drift);
  }
  skew_.machines = numbers.size();
  if (numbers.size() <= 1) skew_.margin_ns = 0;
  skew_.is_measured =
      numbers.size() <= 1 || std::all_of(measured_.begin(), measured_.end(), [](bool one) { return one; });
  clocks_.reserve(hosts_.size());
  for (std::size_t p = 0; p < hosts_.size(); ++p) {
    const trace::ProcessInfo& process = trace.processes()[p];
    clocks_.push_back(process.clock_at_init ? ProcessClock(process) : of_host[hosts_[p]]);
  }
}

bool HostClocks::before(std::uint32_t process, std::int64_t end_ns, std::uint32_t other,
                        std::int64_t start_ns) const {
  const std::uint32_t host = hosts_[process];
  if (host == hosts_[other]) return end_ns <= start_ns;
  if (!measured_[host] || !measured_[hosts_[other]]) return false;
  return clocks_[process].at(end_ns) + skew_.margin_ns < clocks_[other].at(start_ns);
}

}  // namespace weir::semantics::detail
