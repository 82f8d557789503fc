#pragma once

#include <atomic>
#include <cstdint>

#include <mpi.h>

#include "capture/objects.hpp"
#include "capture/requests.hpp"
#include "capture/start_once.hpp"

namespace weir::capture::mpi {

// What the process knows of its MPI library. One per capture library, never destroyed.
struct Library {
  Objects objects;
  Requests requests;
  std::atomic<std::int32_t> rank{-1};  // in the world; -1 before MPI_Init
  std::int32_t size = 0;

  // Called before the first call is recorded: makes the tables and fills in what is predefined. False when
  // there is no memory for them.
  bool ready() {
    return started_.ready([this] { return start(); });
  }

 private:
  bool start();

  StartOnce started_;
};

extern constinit Library the_library;
inline Library& library() { return the_library; }

// The handle as the table of objects keeps it: MPICH's are numbers, Open MPI's are pointers.
inline std::uint64_t bits_of(int handle) { return static_cast<std::uint32_t>(handle); }
inline std::uint64_t bits_of(const void* handle) { return reinterpret_cast<std::uint64_t>(handle); }

}  // namespace weir::capture::mpi
