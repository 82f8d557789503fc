#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "burst/job.hpp"

namespace weir::burst {

struct MountOptions {
  std::filesystem::path point;  // an empty directory, not below the job's own
  bool foreground = false;      // else a process of its own serves it, and this returns
};

// The job's files for every program of this node, through FUSE. Returns when it is mounted or, in the
// foreground, when it has been unmounted (fusermount3 -u). An Error of kind `lacking` where libfuse3 or
// /dev/fuse is not there.
Result<void> mount_job(const Job& job, std::uint32_t node, const MountOptions& options);

}  // namespace weir::burst
