#pragma once

#include "proxy/replay_library.hpp"

namespace weir::proxy::mpi {

// The calls of MPI and MPI-IO, by the library this program is linked with. Objects are kept by the numbers
// that they have in the trace.
class MpiLibrary : public ReplayLibrary {
 public:
  MpiLibrary();
  bool make(weir_proxy::Stream& stream, const trace::Record& record) override;
};

}  // namespace weir::proxy::mpi
