#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "intercept/dispatch.hpp"

namespace weir {

// How often each call was made at each depth. Lives in a file that all processes of a test share, so that
// nothing has to be written at the end: a process may be killed, call _exit or exec and is still counted.
struct CallCounts {
  static constexpr std::size_t kDepths = 4;  // the last one holds all deeper calls too
  std::array<std::array<std::atomic<std::uint64_t>, kDepths>, kCallCount> calls{};
  std::atomic<std::uint64_t> processes{0};
};

// The file named by this variable, of sizeof(CallCounts) zero bytes, takes the counts; without it nobody sees
// them.
inline constexpr const char* kCountsVariable = "WEIR_TEST_COUNTS";

class CountingHandler {
 public:
  template <Call C, class Real, class... Args>
  static auto around(Real real, Args... args) {
    const std::size_t depth = real.depth() < CallCounts::kDepths ? real.depth() : CallCounts::kDepths - 1;
    counts().calls[static_cast<std::size_t>(C)][depth].fetch_add(1, std::memory_order_relaxed);
    return real(args...);
  }

 private:
  [[gnu::always_inline]] static CallCounts& counts() {
    CallCounts* const found = counts_.load(std::memory_order_acquire);
    return found != nullptr ? *found : start();
  }
  static CallCounts& start();

  static constinit std::atomic<CallCounts*> counts_;
};

using Handler = CountingHandler;

}  // namespace weir
