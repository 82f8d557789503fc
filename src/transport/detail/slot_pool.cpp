#include "transport/detail/slot_pool.hpp"

#include <algorithm>
#include <bit>

#include "transport/detail/futex.hpp"

namespace weir::transport::detail {

std::optional<unsigned> SlotPool::try_take() {
  std::uint64_t free = free_.load(std::memory_order_relaxed);
  while (free != 0) {
    // The lowest: its memory is the most likely to be in the cache.
    if (free_.compare_exchange_weak(free, free & (free - 1), std::memory_order_acquire))
      return static_cast<unsigned>(std::countr_zero(free));
  }
  return {};
}

void SlotPool::reclaim() {
  for (std::uint64_t left = abandoned_.load(); left != 0; left &= left - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(left));
    if (memory_.slots[slot].head.turn.load(std::memory_order_acquire) != kClientsTurn) continue;
    if ((abandoned_.fetch_and(~bit(slot)) & bit(slot)) != 0) free(slot);
  }
}

std::optional<unsigned> SlotPool::take(std::chrono::steady_clock::time_point deadline) {
  if (abandoned_.load(std::memory_order_relaxed) != 0) reclaim();
  if (const auto slot = try_take()) return slot;
  // Nobody tells when the server gives back an abandoned slot: look again now and then.
  constexpr std::chrono::milliseconds kLookAgain{20};
  ++waiting_;
  std::optional<unsigned> slot;
  for (;;) {
    const std::uint32_t freed = freed_;
    reclaim();
    slot = try_take();
    const auto now = std::chrono::steady_clock::now();
    if (slot || now >= deadline) break;
    futex_wait(freed_, freed, std::min<std::chrono::nanoseconds>(deadline - now, kLookAgain));
  }
  --waiting_;
  return slot;
}

void SlotPool::give_back(unsigned slot) {
  if (memory_.slots[slot].head.turn.load(std::memory_order_acquire) == kClientsTurn)
    free(slot);
  else
    abandoned_.fetch_or(bit(slot));
}

void SlotPool::free(unsigned slot) {
  free_.fetch_or(bit(slot));
  if (waiting_.load() == 0) return;
  ++freed_;
  futex_wake(freed_, 1);
}

}  // namespace weir::transport::detail
