#include "capture/mpi/library.hpp"

#include "capture/mpi/handler.hpp"
#include "capture/mpi/predefined.hpp"

namespace weir::capture::mpi {

constinit Library the_library;

[[gnu::tls_model("initial-exec")]] thread_local constinit std::uintptr_t inside = 0;

bool Library::start() {
  const bool works = objects.start() && requests.start();
  if (works) predefine_objects();
  return works;
}

}  // namespace weir::capture::mpi
