#include "proxy/plan.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "calls/call.hpp"
#include "proxy/follow.hpp"
#include "proxy/lifetimes.hpp"
#include "proxy/needs.hpp"
#include "trace/own_signatures.hpp"

namespace weir::proxy {
namespace {

// The processes whose calls are made again: the ranks where there are any, else the first.
std::vector<std::size_t> choose_processes(const trace::TraceFile& trace, Plan& plan) {
  std::vector<std::size_t> chosen;
  const auto processes = trace.processes();
  plan.has_ranks = std::any_of(processes.begin(), processes.end(),
                               [](const trace::ProcessInfo& one) { return one.rank >= 0; });
  std::size_t other = 0;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const bool wanted =
        plan.has_ranks ? processes[i].rank == static_cast<std::int64_t>(chosen.size()) : chosen.empty();
    if (wanted)
      chosen.push_back(i);
    else
      other += processes[i].records() > 0 ? 1 : 0;
  }
  if (other > 0)
    plan.left_out.push_back(fmt::format("{} other process{}: programs that were started, and their calls",
                                        other, other == 1 ? "" : "es"));
  return chosen;
}

void give_places(Plan& plan) {
  const trace::Tables& tables = plan.trace->tables();
  plan.places.resize(tables.signatures.size());
  for (std::size_t i = 0; i < tables.signatures.size(); ++i) {
    const trace::Signature& signature = tables.signatures[i];
    plan.places[i].first_column = plan.column_slots;
    plan.places[i].first_own = plan.own_slots;
    plan.column_slots += signature.columns - signature.descriptors;
    for (const trace::Signature::Varying& one : signature.varying) plan.own_slots += one.own ? 1 : 0;
  }
}

Result<void> follow_stream(Plan& plan, std::size_t process, StreamPlan& stream, Lifetimes& lifetimes) {
  trace::RecordReader reader(*plan.trace, process, stream.stream);
  Follower follower(plan, stream, process);
  trace::Record record;
  std::int64_t last_end = 0;
  lifetimes.begin_stream(stream.stream);
  while (reader.next(record)) {
    if (record.depth == 0) lifetimes.add(record, stream.calls);
    follower.follow(record);
    if (record.depth > 0) continue;
    Places& places = plan.places[record.signature];
    if (last_end != 0) places.gap_sum_ns += std::max<std::int64_t>(record.start_ns - last_end, 0);
    last_end = record.start_ns + static_cast<std::int64_t>(record.duration_ns);
    ++places.calls;
  }
  lifetimes.end_stream();
  if (reader.error()) return *reader.error();
  return {};
}

// What those libraries call in turn is theirs.
void find_libraries(Plan& plan) {
  const trace::Tables& tables = plan.trace->tables();
  for (std::size_t i = 0; i < tables.signatures.size(); ++i) {
    const trace::Function& function = tables.functions[tables.signatures[i].function];
    if (tables.signatures[i].depth > 0 || plan.places[i].calls == 0) continue;
    if (function.layer != "hdf5" && function.layer != "netcdf" && function.layer != "pnetcdf") continue;
    plan.libraries.insert(function.layer);
    plan.headers.insert(function.layer + ".h");
    if (function.layer == "netcdf" && function.name.ends_with("_par")) plan.headers.insert("netcdf_par.h");
  }
}

void tell_left_out(Plan& plan) {
  const trace::Tables& tables = plan.trace->tables();
  std::map<std::string, std::uint64_t> calls;
  for (std::size_t i = 0; i < tables.signatures.size(); ++i) {
    const trace::Function& function = tables.functions[tables.signatures[i].function];
    const std::string_view why = why_not(function);
    if (!why.empty() && plan.places[i].calls > 0)
      calls[fmt::format("{}: {}", function.name, why)] += plan.places[i].calls;
  }
  for (const auto& [what, count] : calls)
    plan.left_out.push_back(fmt::format("{} call{} of {}", count, count == 1 ? "" : "s", what));
}

}  // namespace

std::uint64_t Plan::calls() const {
  std::uint64_t sum = 0;
  for (const ProcessPlan& process : processes)
    for (const StreamPlan& stream : process.streams) sum += stream.calls;
  return sum;
}

std::string_view why_not(const trace::Function& function) {
  const std::string& name = function.means.empty() ? function.name : function.means;
  const auto is_one_of = [&](auto... names) { return ((name == names) || ...); };
  if (name.starts_with("exec") ||
      is_one_of("fexecve", "posix_spawn", "posix_spawnp", "system", "popen", "pclose"))
    return "other programs are not started";
  if (is_one_of("fork", "_Fork", "vfork", "forkpty", "daemon", "wait", "waitpid", "wait3", "wait4", "waitid"))
    return "child processes are not made";
  if (is_one_of("pthread_create", "thrd_create", "pthread_join", "pthread_tryjoin_np", "pthread_timedjoin_np",
                "pthread_clockjoin_np", "thrd_join"))
    return "the proxy has threads of its own";
  if (name == "mprotect") return "concerns memory only";
  if (name.starts_with("H5E")) return "concerns messages only";  // HDF5 itself makes them when it ends
  if (name == "nc_finalize") return "NetCDF does it itself when it ends";
  if (name.starts_with("aio_") || name == "lio_listio" || name.starts_with("io_uring"))
    return "what was asked for stands in memory";
  if (is_one_of("open_by_handle_at", "name_to_handle_at", "pidfd_getfd", "pidfd_open", "login_tty", "chroot"))
    return "means something in that process only";
  if (is_one_of("fopencookie", "fts_open", "fts_read", "fts_children", "fts_set", "fts_close"))
    return "calls functions of the program";
  if (name.starts_with("MPI_Grequest") || name == "MPI_Register_datarep")
    return "not all of its arguments are recorded";
  if (name.starts_with("MPI_Comm_spawn") || is_one_of("MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_join"))
    return "other worlds are not started";
  return {};
}

Result<Plan> make_plan(const trace::TraceFile& trace) {
  Plan plan;
  plan.trace = &trace;
  give_places(plan);
  for (const std::size_t process : choose_processes(trace, plan)) {
    ProcessPlan& made = plan.processes.emplace_back();
    made.process = process;
    const auto& streams = trace.processes()[process].streams;
    Lifetimes lifetimes;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      StreamPlan& stream = made.streams.emplace_back();
      stream.stream = i;
      for (std::size_t part = 0; part < streams[i].part_records.size(); ++part)
        stream.grammars.push_back(trace.grammars().distinct_of(streams[i].first_grammar + part));
      if (const auto followed = follow_stream(plan, process, stream, lifetimes); !followed)
        return followed.error();
    }
    const std::uint32_t shared = lifetimes.finish(made, trace.timing() != trace::TimingMode::off);
    plan.shared_handles = std::max(plan.shared_handles, shared);
  }
  if (plan.processes.empty()) return Error{Errc::bad_data, "holds no calls"}.in(trace.path().string());
  if (const auto found = find_needs(plan); !found) return found.error();
  find_libraries(plan);
  tell_left_out(plan);
  return plan;
}

}  // namespace weir::proxy
