#include "proxy/mpi/mpi_library.hpp"

#include <mpi.h>

#include "proxy/data_libraries.hpp"
#include "proxy/mpi/one_call.hpp"

namespace weir::proxy::mpi {

MpiLibrary::MpiLibrary() { DynamicCall::set_mpi_handles(sizeof(MPI_Comm)); }

bool MpiLibrary::make(weir_proxy::Stream& stream, const trace::Record& record) {
  const trace::Function& function = *record.function;
  if (is_data_layer(function.layer)) {
    OneCall(stream, record).make();
    return true;
  }
  if (!function.layer.starts_with("mpi")) return false;
  // What is asked before the start and after the end is none of the calls that a proxy makes.
  if (function.name == "MPI_Init" || function.name == "MPI_Init_thread") weir_proxy::world.outside = false;
  if (!weir_proxy::world.outside) OneCall(stream, record).make();
  if (function.name == "MPI_Finalize") weir_proxy::world.outside = true;
  return true;
}

}  // namespace weir::proxy::mpi
