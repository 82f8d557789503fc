#pragma once

#include "calls/call.hpp"
#include "capture/process.hpp"
#include "capture/treatment.hpp"
#include "intercept/start_program.hpp"

namespace weir::capture {

template <class Real>
int make_thread(Real real, pthread_t* thread, const pthread_attr_t* settings, HeldThreads::Start start,
                void* argument) {
  const auto make = [&](HeldThreads::Start begins, void* given) {
    return real(thread, settings, begins, given);
  };
  if (!is_detached(settings)) return make(start, argument);
  return Process::current().held_threads().make(make, thread, start, argument);
}

// Makes the call as the program asked, except that a program it starts finds the recorder in its environment,
// and that a detached thread begins when it has been asked for its number.
template <Call C, class Real, class... Args>
[[gnu::always_inline]] inline auto call_real(Real real, Args... args) {
  if constexpr (is(C, "pthread_create"))
    return make_thread(real, args...);
  else
    return start_program<C>(Process::current().child_environment(), real, args...);
}

}  // namespace weir::capture
