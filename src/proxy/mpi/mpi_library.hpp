#pragma once

#include "proxy/replay_library.hpp"

namespace weir::proxy::mpi {

// The calls of MPI and MPI-IO, by the library this program is linked with, and of libraries for data. Objects
// are kept by the numbers that they have in the trace.
class MpiLibrary : public ReplayLibrary {
 public:
  MpiLibrary();
  bool has_mpi() const override { return true; }
  bool make(weir_proxy::Stream& stream, const trace::Record& record) override;
};

}  // namespace weir::proxy::mpi
