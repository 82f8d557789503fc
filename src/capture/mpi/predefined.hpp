#pragma once

namespace weir::capture::mpi {

// Tells the table of objects what the library has of its own: MPI_COMM_WORLD, MPI_INT, MPI_SUM and so on, by
// their names. Once per process, when the first call comes.
void predefine_objects();

// "MPI_ANY_SOURCE" for a rank that is none, "MPI_ANY_TAG" for such a tag; null for any other.
const char* name_of_rank(int rank);
const char* name_of_tag(int tag);

// MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY.
bool is_no_weights(const void* address);

}  // namespace weir::capture::mpi
