#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "semantics/order/contexts.hpp"
#include "semantics/order/mpi_call.hpp"
#include "semantics/order/nesting.hpp"

namespace weir::semantics {

inline constexpr std::uint32_t kNever = ~std::uint32_t{0};  // instead of a point: it was not seen

// One end of a message: a send, or a receive with whom it turned out to come from.
struct Post {
  static constexpr std::uint32_t kAnyone = Context::kAbsent - 1;
  static constexpr std::int32_t kAnyTag = INT32_MIN;

  std::uint32_t place = 0;                // of ProcessActivity::places
  std::uint32_t peer = Context::kAbsent;  // index of the process
  std::int32_t tag = 0;
  std::uint32_t point = 0;            // where it begins
  std::uint32_t completion = kNever;  // where it is known to be over
  std::uint16_t function = 0;
  bool synchronous = false;
  bool peeks = false;      // sees the message and leaves it
  bool uncertain = false;  // the trace does not tell whether it took a message
  bool cancelled = false;
};

// What collectives are counted on: a communicator, or a window, which is the collective that made it.
struct Sequence {
  static constexpr std::uint32_t kOfCommunicator = ~std::uint32_t{0};

  std::uint32_t context = 0;
  std::uint32_t made_by = kOfCommunicator;  // of a window: which collective of the context
  friend auto operator<=>(const Sequence&, const Sequence&) = default;
};

struct CollectiveCall {
  static constexpr std::uint32_t kAllMembers = ~std::uint32_t{0};
  static constexpr std::uint32_t kIsRoot = ~std::uint32_t{0};  // MPI_ROOT
  static constexpr std::uint32_t kNotTaking = kIsRoot - 1;     // MPI_PROC_NULL: no part in it

  std::uint32_t sequence = 0;  // of ProcessActivity::sequences
  std::uint32_t point = 0;
  std::uint32_t completion = kNever;
  std::uint32_t root = 0;            // rank, or one of the above
  std::uint32_t list = kAllMembers;  // of ProcessActivity::lists: ranks that something is taken from
  std::uint16_t function = 0;
  bool gives = true;
  bool takes = true;
};

// Memory that was opened to others (MPI_Win_post to MPI_Win_wait), or an access to that of others
// (MPI_Win_start to MPI_Win_complete).
struct EpochCall {
  std::uint32_t sequence = 0;  // the window
  std::uint32_t begin = 0;
  std::uint32_t end = kNever;
  bool exposes = false;
  bool unknown = false;                 // with whom is not in the trace
  std::vector<std::uint32_t> partners;  // indices of processes
  std::vector<std::uint32_t> fetched;   // partners from which something was brought
};

// A call that made another process or thread, or waited for its end.
struct Kin {
  std::uint32_t point = 0;
  std::int64_t number = 0;  // the kernel's
};

// A command that the C library ran in a shell that it forked itself: system(), or popen() up to pclose().
struct ShellCommand {
  std::string_view text;
  std::uint32_t chain = 0;  // within the process
  std::uint32_t point = 0;
  std::uint32_t done = kNever;  // the point of the chain at which the shell is known to have ended
  // When the shell may have begun, on the clock of the process.
  std::int64_t start_ns = 0;
  std::int64_t end_ns = std::numeric_limits<std::int64_t>::max();
};

// What one thread did, in its order. Points are calls that take part in the order: their records.
struct Chain {
  std::uint32_t process = 0;
  std::uint32_t stream = 0;
  std::uint64_t first_record = 0;
  std::uint64_t end_record = 0;
  std::vector<std::uint64_t> points;
  std::vector<std::int64_t> starts;  // of the points, on the clock of rank 0
  std::int64_t end_ns = 0;           // of its last record
  std::vector<Post> sends;
  std::vector<Post> receives;
  std::vector<CollectiveCall> collectives;
  std::vector<EpochCall> epochs;
  std::uint64_t thread = 0;  // the kernel's number
  std::vector<Kin> forks;
  std::vector<Kin> waits;
  std::vector<Kin> threads_made;
  std::vector<Kin> threads_joined;
};

// Start and end of a record, ns.
struct Span {
  std::int64_t start = 0;
  std::int64_t end = 0;
};

struct StreamActivity {
  Nesting nesting;
  std::vector<Span> times;  // of every record, if they were asked for
};

struct Remark {
  std::uint32_t chain = 0;  // within the process
  std::uint64_t record = 0;
  std::uint16_t function = 0;
  const char* why = "";
};

struct ProcessActivity {
  std::vector<StreamActivity> streams;
  std::vector<Chain> chains;
  std::vector<Place> places;
  std::vector<Sequence> sequences;
  std::vector<std::vector<std::uint32_t>> lists;
  std::vector<Remark> remarks;
  std::vector<ShellCommand> commands;
  std::uint64_t mpi_calls = 0;
  bool incomplete = false;  // calls are missing: what is counted cannot be trusted
};

}  // namespace weir::semantics
