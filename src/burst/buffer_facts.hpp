#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "burst/job.hpp"

namespace weir::burst {

// What a node's buffer says of itself, so that its data can be brought out when job file and servers are
// gone: the job without its secret and addresses, and which of its servers' it is. A file `about.json` in the
// server's directory and beside what it spilled.
struct BufferFacts {
  Job job;
  std::uint32_t server = 0;

  Result<void> write(const std::filesystem::path& folder) const;
  static Result<BufferFacts> read(const std::filesystem::path& file);
};

// A node's buffer that was found: its server's directory may have been moved since it was written.
struct FoundBuffer {
  BufferFacts facts;
  JobServer server;  // with the directory where it is now
};

// The buffers in a directory: a server's own, those of one job or several, or those that stand before a
// backing directory and are on this machine. An error where there are none.
Result<std::vector<FoundBuffer>> find_buffers(const std::filesystem::path& folder);

}  // namespace weir::burst
