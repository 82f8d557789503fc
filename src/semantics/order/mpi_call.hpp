#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/record.hpp"

namespace weir::semantics {

// What a call means for the order of a program, and where its arguments stand. Known by name: a trace tells
// names and roles of its functions, not what they promise.
struct MpiCall {
  enum class Kind : std::uint8_t {
    none,
    send,
    receive,
    send_receive,
    probe,     // a message is there
    match,     // MPI_Mprobe: and only the caller will receive it
    start,     // MPI_Start, MPI_Startall
    complete,  // MPI_Wait and its like
    forget,    // MPI_Request_free
    cancel,
    ask_cancelled,  // MPI_Test_cancelled
    collective,
    group,  // makes a group of processes
    epoch,  // MPI_Win_post, _start, _complete, _wait, _test
    fetch,  // brings something from another's memory: MPI_Get
    forks,  // gives life to another process
    waits,  // for the end of one
    makes_thread,
    joins_thread,
    runs_shell,    // system
    opens_shell,   // popen
    closes_shell,  // pclose
  };

  // Between whom a collective makes an order. Those of `none` only count in the sequence of their
  // communicator.
  enum class Flow : std::uint8_t {
    none,
    all,  // from all that give to all that take
    from_root,
    to_root,
    upward,      // from lower ranks to higher ones
    exchange,    // from each that something is taken from
    neighbours,  // likewise, in a topology
    fence,       // as all, if it ends an epoch
    release,     // MPI_Win_free: as all, unless hints may allow otherwise
  };

  // Which of the arguments gives_count and takes_count tells whether anything is given or taken.
  enum class Counts : std::uint8_t {
    always,    // it does not depend on a count
    one,       // the argument is one number
    own_item,  // the item of the list at the caller's rank
    any_item,  // any item of the list
  };

  enum class Epoch : std::uint8_t { post, start, complete, wait };

  // Makes a communicator in which everybody has neighbours.
  enum class Topology : std::uint8_t { none, grid, adjacent };

  static constexpr std::int8_t kNone = -1;

  Kind kind = Kind::none;
  Flow flow = Flow::none;
  Counts gives = Counts::always;
  Counts takes = Counts::always;
  Epoch epoch = Epoch::post;
  Topology topology = Topology::none;
  bool is_mpi = false;       // of MPI or MPI-IO
  bool starts = false;       // a later call completes it
  bool persistent = false;   // it has yet to be started
  bool synchronous = false;  // complete only when it is being received
  bool makes_window = false;
  bool joins_worlds = false;    // makes a communicator whose number each process chose alone
  std::uint16_t operation = 0;  // the same for all calls that one collective may consist of
  std::int8_t comm = kNone;
  std::int8_t new_comm = kNone;
  std::int8_t dest = kNone;
  std::int8_t send_tag = kNone;
  std::int8_t source = kNone;
  std::int8_t receive_tag = kNone;
  std::int8_t request = kNone;
  std::int8_t status = kNone;
  std::int8_t flag = kNone;
  std::int8_t index = kNone;
  std::int8_t indices = kNone;
  std::int8_t root = kNone;
  std::int8_t gives_count = kNone;
  std::int8_t takes_count = kNone;
  std::int8_t window = kNone;
  std::int8_t group = kNone;
  std::int8_t assertion = kNone;
  std::int8_t info = kNone;
  std::int8_t target = kNone;
  std::int8_t dims = kNone;
  std::int8_t periods = kNone;
  std::int8_t sources = kNone;
  std::int8_t reorder = kNone;
};

MpiCall describe_call(const trace::Function& function);
// By the number of the function in the trace.
std::vector<MpiCall> describe_calls(std::span<const trace::Function> functions);

}  // namespace weir::semantics
