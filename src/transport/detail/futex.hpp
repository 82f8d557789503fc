#pragma once

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

// Sleeping on a word that processes share. By syscall(): no point at which a thread can be cancelled.
namespace weir::transport::detail {

// Returns when woken, when the word is no longer `value`, after `limit`, or for no reason.
inline void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                       std::chrono::nanoseconds limit) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
  const timespec time{.tv_sec = seconds.count(), .tv_nsec = (limit - seconds).count()};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &time, nullptr, 0);
}

inline void futex_wake(const std::atomic<std::uint32_t>& word, int how_many = INT_MAX) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, how_many, nullptr, nullptr, 0);
}

}  // namespace weir::transport::detail
