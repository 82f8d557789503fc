#pragma once

#include <chrono>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "transport/channel.hpp"
#include "transport/detail/memory.hpp"

namespace weir::transport::detail {

// What a client has after the handshake.
struct Connection {
  UniqueFd socket;
  std::uint64_t client = 0;
  Mapping memory;  // ClientMemory and the area
  Mapping page;    // HostMemory, read only
  std::vector<UniqueFd> bells;
  std::vector<Mapping> regions;
};

Result<Connection> make_connection(const ChannelOptions& options, std::chrono::nanoseconds limit);

}  // namespace weir::transport::detail
