#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "burst/buffer_facts.hpp"

namespace weir::burst {

// What was published and is only in buffers, of a job whose servers are gone, goes to the backing directory.

struct RecoveredFile {
  std::string path;
  std::uint64_t bytes = 0;       // brought out
  std::uint64_t lost_bytes = 0;  // published, and not to be had
  std::vector<std::string> why;  // of the lost ones
  int write_error = 0;           // of the backing directory
};

// Written by a client and in no journal: which file it was for is not known.
struct UnpublishedBytes {
  std::uint32_t server = 0;
  std::uint64_t client = 0;
  std::uint64_t bytes = 0;
};

struct Recovery {
  std::string job;
  std::filesystem::path backing;
  std::vector<RecoveredFile> files;           // by path; only those of which something was not flushed
  std::vector<UnpublishedBytes> unpublished;  // what was overwritten before it was flushed counts too
  std::vector<std::string> problems;          // damage, and what is not here
  std::uint64_t bytes = 0;
  bool is_written = true;  // the backing directory took all of it
  bool is_complete() const;
};

struct RecoveryOptions {
  std::optional<std::filesystem::path> backing;  // when it is not where it was
  bool only_look = false;
};

// `buffers` are of one job. Nothing but files of the backing directory is changed; doing it again gives the
// same. An error when a server of the job still runs on this machine, or there is no backing directory.
Result<Recovery> recover(std::span<const FoundBuffer> buffers, const RecoveryOptions& options);

// Takes buffers away that were recovered.
void remove_buffers(std::span<const FoundBuffer> buffers, const Recovery& recovery);

}  // namespace weir::burst
