#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trace/process_info.hpp"

namespace weir::trace {

// Which ranks a trace of MPI processes lacks, by what the others say of their world.
struct RankGaps {
  std::vector<std::int64_t> missing;     // no process of the trace has this rank
  std::vector<std::int64_t> unfinished;  // it has records, and its world none of MPI_Finalize
};

// Worlds of the same size count as one: a spawned world has ranks of its own.
RankGaps rank_gaps(std::span<const ProcessInfo> processes);

// "3", "0, 2, 3, 7", "1-4, 9": ascending numbers.
std::string list_of_ranks(std::span<const std::int64_t> ranks);

}  // namespace weir::trace
