#pragma once

#include "trace/record.hpp"

namespace weir_proxy {
struct Stream;
}

namespace weir::proxy {

// Makes the calls of a library with objects of its own when a trace is replayed. The streams of a process
// share it.
class ReplayLibrary {
 public:
  virtual ~ReplayLibrary() = default;

  virtual bool has_mpi() const { return false; }

  // Makes the call of this record and compares how it ends; false if it is none of the library's.
  virtual bool make(weir_proxy::Stream& stream, const trace::Record& record) = 0;
};

}  // namespace weir::proxy
