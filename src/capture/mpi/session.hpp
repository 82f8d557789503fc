#pragma once

namespace weir::capture::mpi {

// MPI_Init and its like start threads that are the library's own: what they do is not the program's.
void before_init();
void after_init();
bool is_library_thread();

}  // namespace weir::capture::mpi
