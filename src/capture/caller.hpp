#pragma once

#include <string_view>

namespace weir::capture {

// Whether the call that this thread is inside of was made by a library of MPI: found by walking up the stack
// to the first caller outside of this one. Takes microseconds.
bool called_by_mpi();

// By the name of its file: MPI itself, and what it moves messages and starts processes with.
bool belongs_to_mpi(std::string_view library);

}  // namespace weir::capture
