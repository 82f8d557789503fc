#include "proxy/replay.hpp"

#include <algorithm>
#include <deque>
#include <map>

#include "proxy/replay_maker.hpp"
#include "proxy/runtime/start.hpp"

namespace weir::proxy {
namespace {

using weir_proxy::world;

// The plan as the runtime has it; points into the other one.
class RunningPlan {
 public:
  RunningPlan(const Plan& plan, ReplayLibrary& library) : plan_(plan), library_(&library) {
    for (const ProcessPlan& process : plan.processes) add_process(process);
    for (const auto& [path, need] : plan.needs)
      needs_.push_back({static_cast<weir_proxy::Need::Kind>(need.kind), path.c_str(), need.size,
                        need.line_ends.data(), need.line_ends.size()});
    for (const trace::Signature& one : plan.trace->tables().signatures)
      calls_.push_back(plan.trace->tables().functions[one.function].name.c_str());
    made.processes = processes_.data();
    made.process_count = static_cast<int>(processes_.size());
    made.needs = needs_.data();
    made.need_count = static_cast<int>(needs_.size());
    made.calls = calls_.data();
    made.handles = static_cast<int>(plan.handles);
    made.shared_handles = static_cast<int>(plan.shared_handles);
    made.filled = std::min<std::int64_t>(plan.largest_write + 8, 64 << 20);
    current = this;
  }

  weir_proxy::Plan made{};

 private:
  void add_process(const ProcessPlan& process) {
    std::vector<weir_proxy::StreamPlan>& streams = streams_.emplace_back();
    for (const StreamPlan& stream : process.streams) {
      std::vector<weir_proxy::Action>& actions = actions_.emplace_back();
      for (const Action& one : stream.actions) add_action(one, actions);
      streams.push_back({&run_stream, nullptr, 0, actions.data(), static_cast<int>(actions.size())});
    }
    const trace::ProcessInfo& about = plan_.trace->processes()[process.process];
    processes_.push_back({about.rank, about.world_size, about.directory.c_str(), streams.data(),
                          static_cast<int>(streams.size()), nullptr, nullptr, 0});
  }

  static void add_action(const Action& one, std::vector<weir_proxy::Action>& actions) {
    using Kind = weir_proxy::Action;
    static const std::map<std::string, Kind::Kind> kKinds = {{"inherit", Kind::inherit},
                                                             {"publish", Kind::publish},
                                                             {"take", Kind::take},
                                                             {"release", Kind::release},
                                                             {"await_released", Kind::await_released},
                                                             {"start", Kind::start},
                                                             {"join", Kind::join}};
    const auto kind = kKinds.find(one.kind);
    if (kind == kKinds.end()) return;  // records hold offsets and names as they were
    actions.push_back({static_cast<std::int64_t>(one.before), kind->second, static_cast<int>(one.id),
                       static_cast<int>(one.part), one.value, one.name.empty() ? nullptr : one.name.c_str()});
  }

  static void run_stream(weir_proxy::Stream& stream) {
    const ProcessPlan& process =
        current->plan_.processes[static_cast<std::size_t>(world.process - current->processes_.data())];
    const auto number = static_cast<std::size_t>(stream.plan - world.process->streams);
    trace::RecordReader reader(*current->plan_.trace, process.process, process.streams[number].stream);
    ReplayMaker maker(stream, current->plan_.trace->tables(), current->library_);
    trace::Record record;
    std::int64_t last_end = 0;
    while (reader.next(record)) {
      if (record.depth > 0) continue;
      maker.make(record, last_end != 0 ? record.start_ns - last_end : 0);
      last_end = record.start_ns + static_cast<std::int64_t>(record.duration_ns);
    }
  }

  static inline RunningPlan* current = nullptr;
  const Plan& plan_;
  ReplayLibrary* library_;
  std::deque<std::vector<weir_proxy::Action>> actions_;
  std::deque<std::vector<weir_proxy::StreamPlan>> streams_;
  std::vector<weir_proxy::ProcessPlan> processes_;
  std::vector<weir_proxy::Need> needs_;
  std::vector<const char*> calls_;
};

}  // namespace

Result<int> replay(const Plan& plan, const ReplayOptions& options, ReplayLibrary& library) {
  if (plan.has_ranks && !library.has_mpi())
    return Error{Errc::lacking, "holds MPI calls, and this program has no MPI"}
        .in(plan.trace->path().string())
        .with_remedy("build Weir with that MPI's development package, or write a program with 'weir proxy'");
  RunningPlan running(plan, library);
  world.options = {options.root, options.original, options.output, options.think};
  return weir_proxy::run_process(weir_proxy::prepare(running.made));
}

}  // namespace weir::proxy
