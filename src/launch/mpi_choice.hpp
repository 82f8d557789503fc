#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weir::launch {

enum class Mpi { none, openmpi, mpich };

std::string_view name(Mpi mpi);  // "openmpi", as in the names of Weir's own files

// Which MPI a command line uses: that of its launcher (mpirun, mpiexec), else that of the program it starts,
// through srun or directly. An interpreter says nothing of what it will load: with a launcher whose MPI is
// not known it is none. An Error of kind `lacking` when launcher and program belong to different ones.
Result<Mpi> mpi_of(const std::vector<std::string>& command);

// Programs that start the ranks of a job and are no part of it, by file name.
const std::vector<std::string_view>& launchers();

// What starts the ranks of a job with that MPI ("openmpi") on this machine. Debian installs both, and each
// has its own launcher under a name that tells.
std::vector<std::string> launcher_of(std::string_view mpi);

}  // namespace weir::launch
