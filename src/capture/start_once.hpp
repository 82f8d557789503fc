#pragma once

#include <atomic>
#include <cstdint>

#include <sched.h>

namespace weir::capture {

// Something that whoever comes first makes ready, while the others wait. Allocates nothing.
class StartOnce {
 public:
  // What start() said, once.
  template <class F>
  bool ready(F&& start) {
    State state = state_.load(std::memory_order_acquire);
    if (state == State::ready) [[likely]]
      return true;
    if (state == State::unborn && state_.compare_exchange_strong(state, State::starting))
      state_.store(start() ? State::ready : State::failed, std::memory_order_release);
    while (state_.load(std::memory_order_acquire) == State::starting) sched_yield();
    return state_.load(std::memory_order_acquire) == State::ready;
  }

 private:
  enum class State : std::uint32_t { unborn, starting, ready, failed };
  std::atomic<State> state_{State::unborn};
};

}  // namespace weir::capture
