#include "capture/mpi/communicators.hpp"

#include <algorithm>
#include <cstring>

#include "base/clock.hpp"
#include "capture/memory.hpp"
#include "capture/mpi/constants.hpp"
#include "capture/mpi/library.hpp"
#include "capture/mpi/messages.hpp"
#include "capture/mpi/pmpi.hpp"

namespace weir::capture::mpi {
namespace {

using trace::live::Definition;

// Zeroed memory for so many numbers, given back at the end of the scope.
class Numbers {
 public:
  explicit Numbers(std::size_t count)
      : bytes_(std::max<std::size_t>(count, 1) * sizeof(int)),
        memory_(static_cast<int*>(map_inherited(bytes_))) {}
  ~Numbers() {
    if (memory_ != nullptr) unmap_memory(memory_, bytes_);
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;

  int* get() { return memory_; }
  int& operator[](std::size_t i) { return memory_[i]; }

 private:
  std::size_t bytes_;
  int* memory_;
};

// A definition in the making. Members in runs: most communicators are a few of them.
class Definer {
 public:
  template <class T>
  void put(T value) {
    if (used_ + sizeof value > sizeof bytes_) return;
    std::memcpy(bytes_ + used_, &value, sizeof value);
    used_ += sizeof value;
  }
  void put_runs(const int* ranks, int count) {
    for (int at = 0; at < count;) {
      const int stride = at + 1 < count ? ranks[at + 1] - ranks[at] : 1;
      int end = at + 1;
      while (end < count && ranks[end] - ranks[end - 1] == stride) ++end;
      put(static_cast<std::int32_t>(ranks[at]));
      put(static_cast<std::int32_t>(stride));
      put(static_cast<std::int32_t>(end - at));
      at = end;
    }
  }
  void define(Lane* lane, Definition type) const {
    if (lane != nullptr) lane->describe(type, {bytes_, used_});
  }

 private:
  std::size_t used_ = 0;
  char bytes_[32 * 1024];
};

void put_members(Definer& out, MPI_Group group, MPI_Group world) {
  int count = 0;
  WEIR_PMPI(Group_size)(group, &count);
  Numbers own(static_cast<std::size_t>(count));
  Numbers there(static_cast<std::size_t>(count));
  if (own.get() == nullptr || there.get() == nullptr) count = 0;
  for (int i = 0; i < count; ++i) own[static_cast<std::size_t>(i)] = i;
  WEIR_PMPI(Group_translate_ranks)(group, count, own.get(), world, there.get());
  // Members of another world (MPI_Comm_spawn) have no rank in this one.
  for (int i = 0; i < count; ++i)
    if (there[static_cast<std::size_t>(i)] == MPI_UNDEFINED) there[static_cast<std::size_t>(i)] = -1;
  out.put(static_cast<std::uint32_t>(count));
  out.put_runs(there.get(), count);
}

void keep(MPI_Comm comm, std::uint32_t id, Lane* lane) {
  int rank = -1;
  int inter = 0;
  WEIR_PMPI(Comm_rank)(comm, &rank);
  WEIR_PMPI(Comm_test_inter)(comm, &inter);
  library().objects.add_communicator(bits_of(comm), id, rank, inter != 0);
  Definer out;
  out.put(id);
  out.put(static_cast<std::uint32_t>(inter != 0 ? 1 : 0));
  out.put(static_cast<std::uint32_t>(rank));
  MPI_Group all{};
  MPI_Group members{};
  WEIR_PMPI(Comm_group)(world(), &all);
  WEIR_PMPI(Comm_group)(comm, &members);
  put_members(out, members, all);
  WEIR_PMPI(Group_free)(&members);
  if (inter != 0) {
    WEIR_PMPI(Comm_remote_group)(comm, &members);
    put_members(out, members, all);
    WEIR_PMPI(Group_free)(&members);
  }
  WEIR_PMPI(Group_free)(&all);
  out.define(lane, Definition::communicator);
}

int next_here() { return static_cast<int>(library().objects.reserve_communicator()); }

// Children of one parent are made in the same order everywhere, those of different parents need not be when
// threads make them. Each parent's children have a remainder of their own, so two of them come to one number
// only where both parents have the same, one pair in a thousand.
int next_here(std::uint32_t parent) {
  constexpr int kRemainders = 1024;
  int threads = MPI_THREAD_SINGLE;
  WEIR_PMPI(Query_thread)(&threads);
  const int next = next_here();
  if (threads != MPI_THREAD_MULTIPLE) return next;
  const int wanted = static_cast<int>((parent * 0x9E3779B1U) >> 22);
  return next + (wanted - next % kRemainders + kRemainders) % kRemainders;
}

// An agreement under way, with the request whose completion ends it. Stays where it is: the reduction writes
// into it.
struct Pending {
  std::uint64_t request = 0;
  MPI_Comm comm{};
  int mine = 0;
  int agreed = 0;
  MPI_Request reduction{};
  Pending* next = nullptr;
};
constinit Pending* pending = nullptr;
constinit Pending* unused = nullptr;
constinit SpinLock pending_lock;

Pending* make_pending() {
  const Spinning locked(pending_lock);
  if (unused == nullptr) {
    constexpr std::size_t kMore = 64;
    auto* const memory = static_cast<Pending*>(map_inherited(kMore * sizeof(Pending)));
    for (std::size_t i = 0; memory != nullptr && i < kMore; ++i) {
      memory[i].next = unused;
      unused = memory + i;
    }
  }
  Pending* const made = unused;
  if (made != nullptr) unused = made->next;
  return made;
}

Pending* take_pending(std::uint64_t request_bits) {
  const Spinning locked(pending_lock);
  for (Pending** at = &pending; *at != nullptr; at = &(*at)->next) {
    Pending* const found = *at;
    if (found->request != request_bits) continue;
    *at = found->next;
    return found;
  }
  return nullptr;
}

void put_into(Pending*& list, Pending* one) {
  const Spinning locked(pending_lock);
  one->next = list;
  list = one;
}

// Whether all members are of the world that this process was started in.
bool is_of_this_world(MPI_Comm comm, bool inter) {
  MPI_Group all{};
  WEIR_PMPI(Comm_group)(world(), &all);
  const auto has_others = [&](auto group_of) {
    MPI_Group members{};
    MPI_Group others{};
    int count = 0;
    group_of(comm, &members);
    WEIR_PMPI(Group_difference)(members, all, &others);
    WEIR_PMPI(Group_size)(others, &count);
    if (count > 0) WEIR_PMPI(Group_free)(&others);  // else it is the empty group that all share
    WEIR_PMPI(Group_free)(&members);
    return count > 0;
  };
  const bool others =
      has_others(WEIR_PMPI(Comm_group)) || (inter && has_others(WEIR_PMPI(Comm_remote_group)));
  WEIR_PMPI(Group_free)(&all);
  return !others;
}

std::int64_t now_here() { return Clock::monotonic().count; }

bool one_machine = false;  // all ranks are on it

// This clock minus that of rank 0, from the quickest of some round trips. Processes of one machine share a
// clock: only one of each machine takes part, and tells the others.
std::int64_t clock_offset() {
  constexpr int kRounds = 10;
  constexpr int kTag = 32767;  // the largest tag that every library has
  MPI_Comm machine{};
  if (WEIR_PMPI(Comm_split_type)(world(), MPI_COMM_TYPE_SHARED, 0, no_info(), &machine) != MPI_SUCCESS)
    return 0;
  MPI_Comm leaders{};
  int rank_here = 0;
  int size_here = 0;
  WEIR_PMPI(Comm_rank)(machine, &rank_here);
  WEIR_PMPI(Comm_size)(machine, &size_here);
  one_machine = size_here == library().size;
  WEIR_PMPI(Comm_split)(world(), rank_here == 0 ? 0 : MPI_UNDEFINED, 0, &leaders);
  std::int64_t offset = 0;
  if (rank_here == 0) {
    int rank = 0;
    int size = 1;
    WEIR_PMPI(Comm_rank)(leaders, &rank);
    WEIR_PMPI(Comm_size)(leaders, &size);
    std::int64_t there = 0;
    constexpr int ints = sizeof there / sizeof(int);
    if (rank == 0) {
      for (int other = 1; other < size; ++other)
        for (int round = 0; round < kRounds; ++round) {
          WEIR_PMPI(Recv)(&there, ints, the_int(), other, kTag, leaders, MPI_STATUS_IGNORE);
          there = now_here();
          WEIR_PMPI(Send)(&there, ints, the_int(), other, kTag, leaders);
        }
    } else {
      std::int64_t best = INT64_MAX;
      for (int round = 0; round < kRounds; ++round) {
        const std::int64_t begin = now_here();
        WEIR_PMPI(Send)(&there, ints, the_int(), 0, kTag, leaders);
        WEIR_PMPI(Recv)(&there, ints, the_int(), 0, kTag, leaders, MPI_STATUS_IGNORE);
        const std::int64_t end = now_here();
        if (end - begin >= best) continue;
        best = end - begin;
        offset = begin + (end - begin) / 2 - there;
      }
    }
    WEIR_PMPI(Comm_free)(&leaders);
  }
  WEIR_PMPI(Bcast)(&offset, sizeof offset / sizeof(int), the_int(), 0, machine);
  WEIR_PMPI(Comm_free)(&machine);
  return offset;
}

std::int64_t offset_at_start = 0;

void describe_rank(Lane* lane, const std::int64_t* offset_at_end) {
  Definer out;
  out.put(static_cast<std::int32_t>(library().rank.load()));
  out.put(library().size);
  out.put(offset_at_start);
  if (offset_at_end != nullptr) out.put(*offset_at_end);
  out.define(lane, Definition::rank);
}

}  // namespace

void agree_on(MPI_Comm comm, std::uint32_t parent, Lane* lane) {
  int inter = 0;
  WEIR_PMPI(Comm_test_inter)(comm, &inter);
  if (!is_of_this_world(comm, inter != 0)) return take_note_of(comm, lane);
  MPI_Comm over = comm;
  if (inter != 0 && WEIR_PMPI(Intercomm_merge)(comm, 0, &over) != MPI_SUCCESS) return;
  const int mine = next_here(parent);
  int agreed = mine;
  WEIR_PMPI(Allreduce)(&mine, &agreed, 1, the_int(), the_maximum(), over);
  if (inter != 0) WEIR_PMPI(Comm_free)(&over);
  keep(comm, static_cast<std::uint32_t>(agreed), lane);
}

void take_note_of(MPI_Comm comm, Lane* lane) { keep(comm, library().objects.reserve_communicator(), lane); }

void begin_agreement(MPI_Comm parent, MPI_Comm made, MPI_Request request) {
  int inter = 0;
  WEIR_PMPI(Comm_test_inter)(parent, &inter);
  // What an inter-communicator reduces goes to the other side; one that is not agreed upon is met when used.
  if (inter != 0 || !is_of_this_world(parent, false)) return;
  Pending* const one = make_pending();
  if (one == nullptr) return;
  one->request = bits_of(request);
  one->comm = made;
  one->mine = next_here();
  WEIR_PMPI(Iallreduce)(&one->mine, &one->agreed, 1, the_int(), the_maximum(), parent, &one->reduction);
  agreements.fetch_add(1, std::memory_order_relaxed);
  put_into(pending, one);
}

void finish_agreement(std::uint64_t request_bits, Lane* lane) {
  Pending* const found = take_pending(request_bits);
  if (found == nullptr) return;
  agreements.fetch_sub(1, std::memory_order_relaxed);
  WEIR_PMPI(Wait)(&found->reduction, MPI_STATUS_IGNORE);
  keep(found->comm, static_cast<std::uint32_t>(found->agreed), lane);
  put_into(unused, found);
}

int size_of(MPI_Comm comm) {
  int size = 0;
  const Objects::Object known = library().objects.find(Role::communicator, bits_of(comm));
  if (known.inter)
    WEIR_PMPI(Comm_remote_size)(comm, &size);
  else
    WEIR_PMPI(Comm_size)(comm, &size);
  return size;
}

namespace {

struct Degrees {
  int in = 0;
  int out = 0;
};

Degrees degrees_of(MPI_Comm comm) {
  Degrees degrees;
  int kind = MPI_UNDEFINED;
  WEIR_PMPI(Topo_test)(comm, &kind);
  if (kind == MPI_CART) {
    int dimensions = 0;
    WEIR_PMPI(Cartdim_get)(comm, &dimensions);
    degrees.in = degrees.out = 2 * dimensions;
  } else if (kind == MPI_GRAPH) {
    int rank = 0;
    WEIR_PMPI(Comm_rank)(comm, &rank);
    WEIR_PMPI(Graph_neighbors_count)(comm, rank, &degrees.in);
    degrees.out = degrees.in;
  } else if (kind == MPI_DIST_GRAPH) {
    int weighted = 0;
    WEIR_PMPI(Dist_graph_neighbors_count)(comm, &degrees.in, &degrees.out, &weighted);
  }
  return degrees;
}

}  // namespace

int indegree_of(MPI_Comm comm) { return degrees_of(comm).in; }
int outdegree_of(MPI_Comm comm) { return degrees_of(comm).out; }

int dimensions_of(MPI_Comm comm) {
  int kind = MPI_UNDEFINED;
  int dimensions = -1;
  WEIR_PMPI(Topo_test)(comm, &kind);
  if (kind == MPI_CART) WEIR_PMPI(Cartdim_get)(comm, &dimensions);
  return dimensions;
}

void meet_the_world(Lane* lane) {
  int rank = -1;
  int size = 0;
  WEIR_PMPI(Comm_rank)(world(), &rank);
  WEIR_PMPI(Comm_size)(world(), &size);
  library().rank = rank;
  library().size = size;
  library().objects.predefine(Role::communicator, bits_of(world()), "MPI_COMM_WORLD", rank);
  offset_at_start = clock_offset();
  describe_rank(lane, nullptr);
}

void leave_the_world(Lane* lane) {
  if (library().rank < 0) return;
  MPI_Request request{};
  if (WEIR_PMPI(Ibarrier)(world(), &request) == MPI_SUCCESS)
    static_cast<void>(all_came(request, Limit::none));
  const std::int64_t offset = one_machine ? 0 : clock_offset();
  describe_rank(lane, &offset);
}

}  // namespace weir::capture::mpi
