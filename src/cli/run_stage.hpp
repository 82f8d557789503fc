#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "burst/job.hpp"

namespace weir::cli {

struct Staged {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

// Files of the backing directory that match one of the patterns ('*' also stands for slashes; no patterns:
// all) are read into the buffer, where a program finds them at once. They stay clean: nothing of them is
// flushed. Those that the buffer has bytes of stay as they are. Into the buffers of all servers in turn where
// they are `all_here`. What does not fit stays where it is, and a warning says so; a pattern that nothing
// matches is an Error.
Result<Staged> stage_in(const burst::Job& job, const std::vector<std::string>& patterns, bool all_here);

}  // namespace weir::cli
