#include "semantics/order/time_order.hpp"

#include <utility>

namespace weir::semantics {

TimeOrder::TimeOrder(const trace::TraceFile& trace, detail::HostClocks clocks,
                     std::span<ProcessActivity> processes)
    : clocks_(std::move(clocks)), serves_(serves(trace)) {
  times_.resize(processes.size());
  for (std::size_t p = 0; p < processes.size(); ++p)
    for (StreamActivity& stream : processes[p].streams) times_[p].push_back(std::move(stream.times));
}

bool TimeOrder::before(const Event& first, const Event& second) const {
  const auto& of_first = times_[first.process][first.thread];
  const auto& of_second = times_[second.process][second.thread];
  if (first.record >= of_first.size() || second.record >= of_second.size()) return false;  // none are kept
  return clocks_->before(first.process, of_first[first.record].end, second.process,
                         of_second[second.record].start);
}

std::size_t TimeOrder::bytes() const {
  std::size_t sum = 0;
  for (const auto& process : times_)
    for (const auto& stream : process) sum += stream.capacity() * sizeof(Span);
  return sum;
}

}  // namespace weir::semantics
