#pragma once

#include <atomic>

#include <mpi.h>

#include "intercept/real.hpp"

namespace weir::capture::mpi {

// What the program's own MPI library has, found by `search` when it is first needed: the recorder is loaded
// into programs without MPI too, and into those that load it later. Null when there is none.
template <class T>
T find_once(std::atomic<void*>& kept, void* (*search)(const char*), const char* name) {
  void* found = kept.load(std::memory_order_acquire);
  if (found == nullptr) {
    found = search(name);
    kept.store(found, std::memory_order_release);
  }
  return reinterpret_cast<T>(found);
}

// WEIR_PMPI(Comm_rank)(comm, &rank) calls PMPI_Comm_rank.
#define WEIR_PMPI(name)                                                                        \
  ([]() -> decltype(&PMPI_##name) {                                                            \
    static constinit std::atomic<void*> kept{nullptr};                                         \
    return ::weir::capture::mpi::find_once<decltype(&PMPI_##name)>(kept, &::weir::search_real, \
                                                                   "PMPI_" #name);             \
  }())

}  // namespace weir::capture::mpi
