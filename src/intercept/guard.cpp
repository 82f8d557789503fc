#include "intercept/guard.hpp"

#include <algorithm>

#include <signal.h>

namespace weir {

namespace detail {
[[gnu::tls_model("initial-exec")]] constinit thread_local Guard thread_guard;
}  // namespace detail

namespace {

// sigaltstack() succeeds here and then leaves errno alone.
bool on_alternate_stack() {
  stack_t stack{};
  return sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_ONSTACK) != 0;
}

}  // namespace

bool Guard::may_enter_nested(std::uintptr_t frame) {
  forget_dead(frame);
  if (!in_own_work()) return true;
  passed_.store(passed_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return false;
}

void Guard::forget_dead(std::uintptr_t frame) {
  const std::size_t open = std::min<std::size_t>(depth(), kFrames);
  std::size_t alive = 0;
  while (alive < open) {
    const std::uintptr_t recorded = frames_[alive].load(std::memory_order_relaxed);
    if (recorded != kUnknown && recorded <= frame) break;
    ++alive;
  }
  if (alive == open || on_alternate_stack()) return;
  // Everything inside a dead call is dead. An enclosing call that is alive was in its real function, not in
  // own work: otherwise the dead one would not have been opened.
  for (std::size_t slot = alive; slot < open; ++slot)
    frames_[slot].store(kUnknown, std::memory_order_relaxed);
  set(static_cast<std::uint32_t>(alive) * kOneCall);
}

}  // namespace weir
