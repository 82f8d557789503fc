#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "burst/job.hpp"

namespace weir::burst {

// What somebody who starts a file system chooses.
struct JobPlan {
  std::vector<std::string> hosts;  // a server each; with `local` all of them on this machine
  std::uint32_t local = 0;
  std::string network;            // on which of their networks hosts speak: a device or a range
  std::filesystem::path buffer;   // must be there
  std::filesystem::path backing;  // must be there
  std::filesystem::path mount;    // empty: the backing directory itself
  std::string model = "session";
  std::string policy;
  bool verify = false;
  std::uint32_t workers = 1;
  std::uint64_t quota_bytes = 0;
  WhenFull when_full = WhenFull::spill;
  std::uint64_t limit_ms = 30'000;
  lock::Options locks;
};

// A job with a number and a secret of its own, and directories of its own below the buffer. Nothing is made
// yet.
Result<Job> new_job(const JobPlan& plan);

}  // namespace weir::burst
