#pragma once

#include <atomic>
#include <cstdint>

#include <mpi.h>

#include "capture/lane.hpp"

namespace weir::capture::mpi {

// Called by every member of a new communicator: gives it the same number on all of them, the highest that is
// next anywhere, and writes down who its members are. With members of another world, which need not be traced
// and so cannot be asked, it gets a number of this process alone. Threads may do this at once, on parents of
// their own and in another order on every process: then the number also goes with that of the parent.
void agree_on(MPI_Comm comm, std::uint32_t parent, Lane* lane);
// One that was met without having been seen made: a number of this process alone.
void take_note_of(MPI_Comm comm, Lane* lane);

// The agreement on a communicator that a later call completes: begun by all members of its parent in the same
// order, finished when the program's own request is. Two of different parents that overlap and are made in
// another order on another process may come to the same number.
void begin_agreement(MPI_Comm parent, MPI_Comm made, MPI_Request request);
void finish_agreement(std::uint64_t request_bits, Lane* lane);
inline constinit std::atomic<int> agreements{0};
inline bool agreements_under_way() { return agreements.load(std::memory_order_relaxed) != 0; }

int size_of(MPI_Comm comm);  // of the remote group of an inter-communicator
int indegree_of(MPI_Comm comm);
int outdegree_of(MPI_Comm comm);
int dimensions_of(MPI_Comm comm);  // of a Cartesian topology; -1 without one

// After MPI_Init: the rank in the world, and how far this clock is from that of rank 0. Before MPI_Finalize:
// how far it is by then.
void meet_the_world(Lane* lane);
void leave_the_world(Lane* lane);

}  // namespace weir::capture::mpi
