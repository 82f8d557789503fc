#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace weir::launch {

// What starts a program once on each of these hosts, free to run on all of their cores, and leaves the others
// alone when one of them ends or dies: srun within a job of Slurm, else mpirun. `lacking` where neither is
// here.
Result<std::vector<std::string>> command_on_hosts(const std::vector<std::string>& hosts,
                                                  const std::vector<std::string>& program);

}  // namespace weir::launch
