#include "semantics/accesses.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "semantics/detail/assemble.hpp"
#include "semantics/detail/follow_trace.hpp"
#include "semantics/detail/process_clock.hpp"

namespace weir::semantics {
namespace {

// The time at which the last call of a trace has ended, on the clock of its rank 0.
std::int64_t end_of(const trace::TraceFile& trace) {
  std::int64_t last = 0;
  for (const trace::ProcessInfo& process : trace.processes()) {
    const detail::ProcessClock clock(process);
    for (const trace::StreamInfo& stream : process.streams)
      for (const trace::BlockInfo& block : stream.blocks) last = std::max(last, clock.at(block.last_end_ns));
  }
  return last;
}

void count_metadata(const trace::TraceFile& trace, const std::vector<detail::Collected>& families,
                    std::map<std::pair<std::string, bool>, std::uint64_t>& counts) {
  for (const detail::Collected& family : families)
    for (const auto& [key, calls] : family.metadata)
      counts[{trace.tables().functions[key.function].means, key.in_mpi}] += calls;
}

}  // namespace

const Accesses::Program& Accesses::program_of(std::uint32_t process) const {
  const auto behind = std::upper_bound(
      programs.begin(), programs.end(), process,
      [](std::uint32_t wanted, const Program& program) { return wanted < program.first_process; });
  return *std::prev(behind);
}

const trace::ProcessInfo& Accesses::process(std::uint32_t process) const {
  const Program& program = program_of(process);
  return program.trace->processes()[process - program.first_process];
}

Event Accesses::local(Event event) const {
  event.process -= program_of(event.process).first_process;
  return event;
}

LinePlace Accesses::place(const Event& event) const {
  const Program& program = program_of(event.process);
  LinePlace place = orders[static_cast<std::size_t>(&program - programs.data())].place(local(event));
  if (place.after_ns != LinePlace::kFirst) place.after_ns += program.shift_ns;
  return place;
}

std::string Accesses::label(std::uint32_t number) const {
  const trace::ProcessInfo& about = process(number);
  std::string text =
      about.rank >= 0 ? fmt::format("rank {}", about.rank) : fmt::format("process {}", about.number);
  if (programs.size() > 1) text += fmt::format(" of program {}", &program_of(number) - programs.data() + 1);
  return text;
}

Result<Accesses> rebuild(const std::vector<const trace::TraceFile*>& traces, const RebuildOptions& options) {
  Accesses made;
  std::vector<detail::FollowedProgram> followed;
  std::map<std::pair<std::string, bool>, std::uint64_t> metadata;
  std::uint32_t processes = 0;
  std::int64_t shift = 0;
  for (const trace::TraceFile* const trace : traces) {
    Reading reading(*trace, options.salvage, options.threads);
    auto families = detail::follow_trace(*trace, options, reading);
    if (!families) return families.error();
    auto order = Order::of(reading);
    if (!order) return order.error().in(trace->path().string());
    made.orders.push_back(*std::move(order));
    count_metadata(*trace, *families, metadata);
    made.programs.push_back({trace, processes, shift});
    followed.push_back({*std::move(families), processes, shift});
    processes += static_cast<std::uint32_t>(trace->processes().size());
    shift += end_of(*trace) + 1;
  }
  detail::assemble(std::move(followed), options.threads, made);
  for (const auto& [key, calls] : metadata) made.metadata.push_back({key.first, key.second, calls});
  return made;
}

}  // namespace weir::semantics
