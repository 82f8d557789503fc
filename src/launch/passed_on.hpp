#pragma once

#include <string>
#include <vector>

#include "launch/preload.hpp"

namespace weir::launch {

// The command with which these variables reach all processes of the program. Open MPI's mpirun gives those on
// other hosts only what it is told to; srun and MPICH's give them everything.
std::vector<std::string> passed_on(std::vector<std::string> command, const Variables& variables);

}  // namespace weir::launch
