#pragma once

#include <cstdint>

#include <sched.h>

namespace weir::transport::detail {

// A core of the machine, counted from 1; 0 is none that is known.
using Core = std::uint32_t;

inline Core this_core() { return static_cast<Core>(::sched_getcpu() + 1); }

// Where somebody runs: one word between processes.
struct Seat {
  Core core = 0;
  bool is_crowded = false;  // a client: others want the core; a worker: it shares the core with its client

  std::uint32_t word() const { return core << 1U | static_cast<std::uint32_t>(is_crowded); }
  static Seat from(std::uint32_t word) { return {word >> 1U, (word & 1U) != 0}; }
};

// The calling thread goes on there, or on any other core than this one, and stays free to be moved afterwards
// among the cores it was allowed before; those that its cpuset gains later are not among them. False where
// that is not allowed.
bool move_to(Core core);
bool move_away();

}  // namespace weir::transport::detail
