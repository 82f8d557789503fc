#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "burst/job.hpp"

namespace weir::burst {

// The environment variable that names the node's server where the host does not tell, and its value where
// servers of one machine stand for nodes: the rank of MPI tells which.
inline constexpr const char* kServerVariable = "WEIR_SERVER";
inline constexpr const char* kServerByRank = "rank";

// The server of this node: kServerVariable, else the first of this host, else the only one.
Result<std::uint32_t> server_of_this_node(const Job& job);

// Those that are to run on this host: named like it, in full or without its domain, or by an address that
// only it has.
std::vector<std::uint32_t> servers_of_this_host(const Job& job);

// Of Open MPI, PMI or Slurm, if one of them has started this process.
std::optional<std::uint32_t> rank_of_launcher();

}  // namespace weir::burst
