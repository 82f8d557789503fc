#include "semantics/order/mpi_call.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "semantics/detail/known_call.hpp"

namespace weir::semantics {
namespace {

using Kind = MpiCall::Kind;
using Flow = MpiCall::Flow;
using Counts = MpiCall::Counts;
using Epoch = MpiCall::Epoch;

// An order follows where the standard says that a call waits (MPI_Barrier, MPI_Win_fence, MPI_Win_free), and
// where what a process gets out cannot be known before others have put it in (MPI 3.1, 5.1: nothing else of a
// collective synchronises). That is why making a communicator, opening a file or writing it together orders
// nothing here, but a split does: its groups depend on the colours of all. docs/design/0013-order.md has the
// reasons one by one.
struct Collective {
  std::string_view name;
  Flow flow = Flow::none;
  Counts gives = Counts::always;
  std::string_view gives_count = {};
  Counts takes = Counts::always;
  std::string_view takes_count = {};
};

constexpr Collective counted(std::string_view name, Flow flow, std::string_view count) {
  return {name, flow, Counts::one, count, Counts::one, count};
}

constexpr std::array kCollectives = {
    Collective{"Barrier", Flow::all},
    counted("Bcast", Flow::from_root, "count"),
    Collective{"Gather", Flow::to_root, Counts::one, "sendcount"},
    Collective{"Gatherv", Flow::to_root, Counts::one, "sendcount"},
    Collective{"Scatter", Flow::from_root, Counts::always, {}, Counts::one, "recvcount"},
    Collective{"Scatterv", Flow::from_root, Counts::always, {}, Counts::one, "recvcount"},
    counted("Allgather", Flow::all, "recvcount"),
    Collective{"Allgatherv", Flow::all, Counts::own_item, "recvcounts", Counts::any_item, "recvcounts"},
    counted("Alltoall", Flow::all, "recvcount"),
    Collective{"Alltoallv", Flow::exchange, Counts::always, {}, Counts::any_item, "recvcounts"},
    Collective{"Alltoallw", Flow::exchange, Counts::always, {}, Counts::any_item, "recvcounts"},
    counted("Reduce", Flow::to_root, "count"),
    counted("Allreduce", Flow::all, "count"),
    Collective{"Reduce_scatter", Flow::all, Counts::any_item, "recvcounts", Counts::own_item, "recvcounts"},
    counted("Reduce_scatter_block", Flow::all, "recvcount"),
    counted("Scan", Flow::upward, "count"),
    counted("Exscan", Flow::upward, "count"),
    Collective{"Neighbor_allgather", Flow::neighbours, Counts::always, {}, Counts::one, "recvcount"},
    Collective{"Neighbor_allgatherv", Flow::neighbours, Counts::always, {}, Counts::any_item, "recvcounts"},
    Collective{"Neighbor_alltoall", Flow::neighbours, Counts::always, {}, Counts::one, "recvcount"},
    Collective{"Neighbor_alltoallv", Flow::neighbours, Counts::always, {}, Counts::any_item, "recvcounts"},
    Collective{"Neighbor_alltoallw", Flow::neighbours, Counts::always, {}, Counts::any_item, "recvcounts"},
    Collective{"Comm_split", Flow::all},
    Collective{"Comm_split_type", Flow::all},
    Collective{"Comm_dup"},
    Collective{"Comm_dup_with_info"},
    Collective{"Comm_idup"},
    Collective{"Comm_create"},
    Collective{"Comm_free"},
    Collective{"Comm_set_info"},
    Collective{"Comm_disconnect"},
    Collective{"Intercomm_create"},
    Collective{"Intercomm_merge"},
    Collective{"Cart_create"},
    Collective{"Cart_sub"},
    Collective{"Graph_create"},
    Collective{"Dist_graph_create"},
    Collective{"Dist_graph_create_adjacent"},
    Collective{"Comm_spawn"},
    Collective{"Comm_spawn_multiple"},
    Collective{"Comm_accept"},
    Collective{"Comm_connect"},
    Collective{"File_open"},
    Collective{"Win_create"},
    Collective{"Win_create_dynamic"},
    Collective{"Win_allocate"},
    Collective{"Win_allocate_shared"},
    Collective{"Win_fence", Flow::fence},
    Collective{"Win_free", Flow::release},
    Collective{"Win_set_info"},
};

// MPI_Ibarrier is MPI_Barrier, to be completed later.
std::optional<std::size_t> find_collective(std::string_view name, bool& starts) {
  const auto find = [](std::string_view plain) -> std::optional<std::size_t> {
    const auto* const found = std::find_if(kCollectives.begin(), kCollectives.end(),
                                           [&](const Collective& one) { return one.name == plain; });
    if (found == kCollectives.end()) return std::nullopt;
    return static_cast<std::size_t>(found - kCollectives.begin());
  };
  starts = name == "Comm_idup";
  if (const auto found = find(name)) return found;
  if (name.size() < 2 || name[0] != 'I' || name[1] < 'a' || name[1] > 'z') return std::nullopt;
  starts = true;
  std::string plain(name.substr(1));
  plain[0] = static_cast<char>(plain[0] - 'a' + 'A');
  return find(plain);
}

struct Plain {
  std::string_view name;
  Kind kind;
  bool starts = false;
  bool persistent = false;
  bool synchronous = false;
};

constexpr std::array kPlain = {
    Plain{"Send", Kind::send},
    Plain{"Bsend", Kind::send},
    Plain{"Ssend", Kind::send, false, false, true},
    Plain{"Rsend", Kind::send},
    Plain{"Recv", Kind::receive},
    Plain{"Sendrecv", Kind::send_receive},
    Plain{"Sendrecv_replace", Kind::send_receive},
    Plain{"Probe", Kind::probe},
    Plain{"Iprobe", Kind::probe},
    Plain{"Mprobe", Kind::match},
    Plain{"Improbe", Kind::match},
    Plain{"Isend", Kind::send, true},
    Plain{"Ibsend", Kind::send, true},
    Plain{"Issend", Kind::send, true, false, true},
    Plain{"Irsend", Kind::send, true},
    Plain{"Irecv", Kind::receive, true},
    Plain{"Send_init", Kind::send, true, true},
    Plain{"Bsend_init", Kind::send, true, true},
    Plain{"Ssend_init", Kind::send, true, true, true},
    Plain{"Rsend_init", Kind::send, true, true},
    Plain{"Recv_init", Kind::receive, true, true},
    Plain{"Start", Kind::start},
    Plain{"Startall", Kind::start},
    Plain{"Wait", Kind::complete},
    Plain{"Waitany", Kind::complete},
    Plain{"Waitall", Kind::complete},
    Plain{"Waitsome", Kind::complete},
    Plain{"Test", Kind::complete},
    Plain{"Testany", Kind::complete},
    Plain{"Testall", Kind::complete},
    Plain{"Testsome", Kind::complete},
    Plain{"Request_free", Kind::forget},
    Plain{"Cancel", Kind::cancel},
    Plain{"Test_cancelled", Kind::ask_cancelled},
    Plain{"Get", Kind::fetch},
    Plain{"Get_accumulate", Kind::fetch},
    Plain{"Fetch_and_op", Kind::fetch},
    Plain{"Compare_and_swap", Kind::fetch},
    Plain{"Rget", Kind::fetch},
    Plain{"Rget_accumulate", Kind::fetch},
    Plain{"Comm_group", Kind::group},
    Plain{"Comm_remote_group", Kind::group},
    Plain{"Win_get_group", Kind::group},
    Plain{"Group_incl", Kind::group},
    Plain{"Group_excl", Kind::group},
    Plain{"Group_range_incl", Kind::group},
    Plain{"Group_range_excl", Kind::group},
    Plain{"Group_union", Kind::group},
    Plain{"Group_intersection", Kind::group},
    Plain{"Group_difference", Kind::group},
    Plain{"Win_post", Kind::epoch},
    Plain{"Win_start", Kind::epoch},
    Plain{"Win_complete", Kind::epoch},
    Plain{"Win_wait", Kind::epoch},
    Plain{"Win_test", Kind::epoch},
};

constexpr std::array<std::string_view, 6> kForks = {"fork",    "_Fork",       "vfork",
                                                    "forkpty", "posix_spawn", "posix_spawnp"};

constexpr std::array<std::string_view, 5> kWaits = {"wait", "waitpid", "wait3", "wait4", "waitid"};
constexpr std::array<std::string_view, 2> kMakesThread = {"pthread_create", "thrd_create"};
constexpr std::array<std::string_view, 5> kJoinsThread = {
    "pthread_join", "pthread_tryjoin_np", "pthread_timedjoin_np", "pthread_clockjoin_np", "thrd_join"};

void place_arguments(MpiCall& call, const trace::Function& function) {
  const auto at = [&](std::string_view name) {
    for (std::size_t i = 0; i < function.arguments.size(); ++i)
      if (function.arguments[i].name == name) return static_cast<std::int8_t>(i);
    return MpiCall::kNone;
  };
  const auto first_of = [&](std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names)
      if (const std::int8_t found = at(name); found != MpiCall::kNone) return found;
    return MpiCall::kNone;
  };
  call.comm = first_of({"comm", "local_comm", "intercomm"});
  call.new_comm = first_of({"newcomm", "parent"});
  call.dest = at("dest");
  call.source = at("source");
  call.send_tag = first_of({"tag", "sendtag"});
  call.receive_tag = first_of({"tag", "recvtag"});
  call.request = first_of({"request", "requests"});
  call.status = first_of({"status", "statuses"});
  call.flag = at("flag");
  call.index = at("index");
  call.indices = at("indices");
  call.root = at("root");
  call.window = at("win");
  call.group = at("group");
  call.assertion = at("assertion");
  call.info = at("info");
  call.target = at("target_rank");
  call.dims = at("dims");
  call.periods = at("periods");
  call.sources = at("sources");
  call.reorder = at("reorder");
}

bool joins_worlds(std::string_view name) {
  return name == "Comm_spawn" || name == "Comm_spawn_multiple" || name == "Comm_accept" ||
         name == "Comm_connect" || name == "Comm_join" || name == "Comm_get_parent";
}

}  // namespace

MpiCall describe_call(const trace::Function& function) {
  MpiCall call;
  call.is_mpi = function.layer == "mpi" || function.layer == "mpiio";
  if (!detail::is_known(function)) return call;
  std::string_view name = function.name;
  if (!name.starts_with("MPI_")) {
    const auto is_one_of = [&](std::span<const std::string_view> names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (is_one_of(kForks)) call.kind = Kind::forks;
    if (is_one_of(kWaits)) call.kind = Kind::waits;
    if (is_one_of(kMakesThread)) call.kind = Kind::makes_thread;
    if (is_one_of(kJoinsThread)) call.kind = Kind::joins_thread;
    if (name == "system") call.kind = Kind::runs_shell;
    if (name == "popen") call.kind = Kind::opens_shell;
    if (name == "pclose") call.kind = Kind::closes_shell;
    return call;
  }
  name.remove_prefix(4);
  place_arguments(call, function);
  const auto* const plain =
      std::find_if(kPlain.begin(), kPlain.end(), [&](const Plain& one) { return one.name == name; });
  if (plain != kPlain.end()) {
    call.kind = plain->kind;
    call.starts = plain->starts;
    call.persistent = plain->persistent;
    call.synchronous = plain->synchronous;
    if (name == "Win_start") call.epoch = Epoch::start;
    if (name == "Win_complete") call.epoch = Epoch::complete;
    if (name == "Win_wait" || name == "Win_test") call.epoch = Epoch::wait;
    return call;
  }
  call.joins_worlds = joins_worlds(name);
  if (call.joins_worlds && call.new_comm == MpiCall::kNone) {  // that of MPI_Comm_spawn is its intercomm
    for (std::size_t i = 0; i < function.arguments.size(); ++i)
      if (function.arguments[i].name == "intercomm") call.new_comm = static_cast<std::int8_t>(i);
  }
  if (const auto found = find_collective(name, call.starts)) {
    const Collective& about = kCollectives[*found];
    call.kind = Kind::collective;
    call.operation = static_cast<std::uint16_t>(*found);
    call.flow = about.flow;
    call.gives = about.gives;
    call.takes = about.takes;
    if (name == "Cart_create") call.topology = MpiCall::Topology::grid;
    if (name == "Dist_graph_create_adjacent") call.topology = MpiCall::Topology::adjacent;
    call.makes_window = about.name.starts_with("Win_create") || about.name.starts_with("Win_allocate");
    for (std::size_t i = 0; i < function.arguments.size(); ++i) {
      if (!about.gives_count.empty() && function.arguments[i].name == about.gives_count)
        call.gives_count = static_cast<std::int8_t>(i);
      if (!about.takes_count.empty() && function.arguments[i].name == about.takes_count)
        call.takes_count = static_cast<std::int8_t>(i);
    }
  } else if (call.joins_worlds) {
    call.kind = Kind::collective;  // of nobody that is known: only its communicator is taken note of
    call.comm = MpiCall::kNone;
  }
  return call;
}

std::vector<MpiCall> describe_calls(std::span<const trace::Function> functions) {
  std::vector<MpiCall> calls;
  calls.reserve(functions.size());
  for (const trace::Function& function : functions) calls.push_back(describe_call(function));
  return calls;
}

}  // namespace weir::semantics
