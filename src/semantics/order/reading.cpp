#include "semantics/order/reading.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "semantics/order/time_order.hpp"

namespace weir::semantics {
namespace {

// Times serve between processes of which one takes no part in MPI.
bool needs_times(const trace::TraceFile& trace) {
  const bool speaks =
      std::any_of(trace.tables().functions.begin(), trace.tables().functions.end(),
                  [](const trace::Function& one) { return one.layer == "mpi" || one.layer == "mpiio"; });
  const bool ranked = speaks && std::all_of(trace.processes().begin(), trace.processes().end(),
                                            [](const trace::ProcessInfo& one) {
                                              return one.rank >= 0 || one.records() == 0;
                                            });
  return !ranked && TimeOrder::serves(trace);
}

}  // namespace

Reading::Reading(const trace::TraceFile& trace, bool salvage, unsigned threads)
    : trace_(&trace),
      clocks_(trace),
      contexts_(trace),
      calls_(describe_calls(trace.tables().functions)),
      how_{salvage, needs_times(trace)},
      threads_(threads),
      done_(trace.processes().size()) {}

Result<std::vector<ProcessActivity>> Reading::take() {
  std::vector<std::optional<Error>> errors(done_.size());
  parallel_for(
      done_.size(),
      [&](std::size_t p) {
        if (done_[p]) return;
        const auto process = static_cast<std::uint32_t>(p);
        auto made = scan_process(*trace_, process, clocks_.of(process), contexts_, calls_, how_);
        if (made)
          done_[p] = *std::move(made);
        else
          errors[p] = made.error();
      },
      threads_);
  std::vector<ProcessActivity> activities;
  activities.reserve(done_.size());
  for (std::size_t p = 0; p < done_.size(); ++p) {
    if (errors[p]) return errors[p]->in(fmt::format("process {}", p));
    activities.push_back(*std::move(done_[p]));
    done_[p].reset();
  }
  return activities;
}

}  // namespace weir::semantics
