#pragma once

#include <mpi.h>

#include "capture/mpi/pmpi.hpp"

namespace weir::capture::mpi {

// Predefined objects that the recorder itself needs. Open MPI's are variables of a library that may come
// later, MPICH's are numbers.
#ifdef OPEN_MPI
#define WEIR_OBJECT(type, name, variable, constant)            \
  inline type name() {                                         \
    static constinit std::atomic<void*> kept{nullptr};         \
    return find_once<type>(kept, &search_variable, #variable); \
  }
#else
#define WEIR_OBJECT(type, name, variable, constant) \
  inline type name() { return constant; }
#endif
WEIR_OBJECT(MPI_Comm, world, ompi_mpi_comm_world, MPI_COMM_WORLD)
WEIR_OBJECT(MPI_Datatype, the_int, ompi_mpi_int, MPI_INT)
WEIR_OBJECT(MPI_Op, the_maximum, ompi_mpi_op_max, MPI_MAX)
WEIR_OBJECT(MPI_Info, no_info, ompi_mpi_info_null, MPI_INFO_NULL)
WEIR_OBJECT(MPI_Errhandler, errors_return, ompi_mpi_errors_return, MPI_ERRORS_RETURN)
#undef WEIR_OBJECT

}  // namespace weir::capture::mpi
