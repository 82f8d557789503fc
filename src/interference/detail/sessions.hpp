#pragma once

#include <cstdint>
#include <vector>

#include "semantics/access.hpp"

namespace weir::interference::detail {

// What one process wrote into a file between opening and closing it.
struct Session {
  std::uint32_t process = 0;
  std::uint64_t writes = 0;  // calls
  std::uint64_t runs = 0;    // of calls each of which begins where the one before ended
  std::uint64_t bytes = 0;
  std::uint64_t flushed_bytes = 0;         // a flush follows before the next write
  bool ended = false;                      // by a close, not by the end of the trace
  std::vector<std::uint64_t> whole;        // bytes
  std::vector<std::uint64_t> run_sizes;    // bytes of each run
  std::vector<std::uint64_t> write_sizes;  // bytes of each call
};

// Sessions in which something is written, of every process.
std::vector<Session> sessions_of(const semantics::File& file);

bool opens_or_closes(const semantics::SyncPoint& sync);
bool flushes(const semantics::SyncPoint& sync);

}  // namespace weir::interference::detail
