#include "capture/mpi/library.hpp"

#include <sched.h>

#include "capture/mpi/handler.hpp"
#include "capture/mpi/predefined.hpp"

namespace weir::capture::mpi {
namespace {

constinit Library the_library;

}  // namespace

[[gnu::tls_model("initial-exec")]] thread_local constinit std::uintptr_t inside = 0;

Library& library() { return the_library; }

bool Library::ready() {
  State state = state_.load(std::memory_order_acquire);
  if (state == State::ready) [[likely]]
    return true;
  if (state == State::unborn && state_.compare_exchange_strong(state, State::starting)) {
    const bool works = objects.start() && requests.start();
    if (works) predefine_objects();
    state_.store(works ? State::ready : State::failed, std::memory_order_release);
  }
  while (state_.load(std::memory_order_acquire) == State::starting) sched_yield();
  return state_.load(std::memory_order_acquire) == State::ready;
}

}  // namespace weir::capture::mpi
