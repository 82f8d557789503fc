#pragma once

namespace weir::burst {

// Value of kServerVariable where servers of one machine stand for nodes: the rank of MPI tells which.
inline constexpr const char* kServerByRank = "rank";

}  // namespace weir::burst
