#include "semantics/accesses.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "semantics/detail/assemble.hpp"
#include "semantics/detail/follow_trace.hpp"
#include "semantics/detail/host_clocks.hpp"

namespace weir::semantics {
namespace {

// The time at which the last call of a trace has ended, on the clock of its rank 0.
std::int64_t end_of(const trace::TraceFile& trace, const detail::HostClocks& clocks) {
  std::int64_t last = 0;
  for (std::uint32_t p = 0; p < trace.processes().size(); ++p)
    for (const trace::StreamInfo& stream : trace.processes()[p].streams)
      for (const trace::BlockInfo& block : stream.blocks)
        last = std::max(last, clocks.of(p).at(block.last_end_ns));
  return last;
}

// By layer, function and who made them.
using MetadataCounts = std::map<std::tuple<std::string, std::string, MetadataCount::Library>, std::uint64_t>;

void count_metadata(const trace::TraceFile& trace, const std::vector<detail::Collected>& families,
                    MetadataCounts& counts) {
  for (const detail::Collected& family : families)
    for (const auto& [key, calls] : family.metadata) {
      const trace::Function& function = trace.tables().functions[key.function];
      counts[{function.layer, function.means, key.made_by}] += calls;
    }
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
  if (orders.empty()) return {};
  const Program& program = program_of(event.process);
  LinePlace place = orders[static_cast<std::size_t>(&program - programs.data())].place(local(event));
  if (place.after_ns != LinePlace::kFirst) place.after_ns += program.shift_ns;
  return place;
}

bool Accesses::may_be_several(const File& file) const {
  constexpr std::array<std::string_view, 6> kMostlyLocal = {"/tmp/",   "/var/tmp/",      "/run/",
                                                            "/local/", "/localscratch/", "/lscratch/"};
  if (std::none_of(kMostlyLocal.begin(), kMostlyLocal.end(),
                   [&](std::string_view folder) { return file.name.starts_with(folder); }))
    return false;
  return std::any_of(file.members.begin(), file.members.end(), [&](const Member& member) {
    return process(member.process).host != process(file.members.front().process).host;
  });
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
  MetadataCounts metadata;
  std::uint32_t processes = 0;
  std::int64_t shift = 0;
  for (const trace::TraceFile* const trace : traces) {
    Reading reading(*trace, options.salvage, options.threads);
    auto families = detail::follow_trace(*trace, options, reading);
    if (!families) return families.error();
    if (options.ordered) {
      auto order = Order::of(reading);
      if (!order) return order.error().in(trace->path().string());
      made.orders.push_back(*std::move(order));
    }
    count_metadata(*trace, *families, metadata);
    made.programs.push_back({trace, processes, shift});
    followed.push_back({*std::move(families), processes, shift});
    processes += static_cast<std::uint32_t>(trace->processes().size());
    shift += end_of(*trace, reading.clocks()) + 1;
  }
  detail::assemble(std::move(followed), options.threads, made);
  for (const auto& [key, calls] : metadata) {
    const auto& [layer, function, made_by] = key;
    made.metadata.push_back({function, layer, made_by, calls});
  }
  return made;
}

}  // namespace weir::semantics
