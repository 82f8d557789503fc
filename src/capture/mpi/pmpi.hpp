#pragma once

#include <atomic>

#include <mpi.h>

#include "intercept/real.hpp"

namespace weir::capture::mpi {

// A function of the program's own MPI library, found when it is first needed: the recorder is loaded into
// programs without MPI too, and into those that load it later. Null when there is none.
template <class Function>
Function find_function(std::atomic<void*>& kept, const char* name) {
  void* found = kept.load(std::memory_order_acquire);
  if (found == nullptr) {
    found = search_real(name);
    kept.store(found, std::memory_order_release);
  }
  return reinterpret_cast<Function>(found);
}

// An object that is a variable of the library, likewise.
template <class Handle>
Handle find_object(std::atomic<void*>& kept, const char* variable) {
  void* found = kept.load(std::memory_order_acquire);
  if (found == nullptr) {
    found = search_variable(variable);
    kept.store(found, std::memory_order_release);
  }
  return static_cast<Handle>(found);
}

// WEIR_PMPI(Comm_rank)(comm, &rank) calls PMPI_Comm_rank.
#define WEIR_PMPI(name)                                                                      \
  ([]() -> decltype(&PMPI_##name) {                                                          \
    static constinit std::atomic<void*> kept{nullptr};                                       \
    return ::weir::capture::mpi::find_function<decltype(&PMPI_##name)>(kept, "PMPI_" #name); \
  }())

}  // namespace weir::capture::mpi
