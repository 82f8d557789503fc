#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <pthread.h>

namespace weir::capture {

// The kernel's numbers of threads that the program made and has not joined, by what the C library calls them:
// that comes again, and cannot be asked any more once a thread has ended. Takes no lock.
class ThreadNumbers {
 public:
  // A thread says so of itself, its maker when it may have ended already; 0 when its number cannot be told.
  // One that was made detached may be gone, with all that is known of it: it must be asked while it is held.
  std::int64_t begun(pthread_t thread);
  // 0 when it is not known.
  std::int64_t find(pthread_t thread) const;
  void joined(pthread_t thread, std::int64_t number);
  // As the C library tells it: of a thread that is there, or has not been joined.
  static std::int64_t ask(pthread_t thread);

 private:
  static constexpr std::size_t kSlots = 4096;
  static constexpr std::size_t kTries = 32;
  struct Slot {
    std::atomic<pthread_t> thread{0};
    std::atomic<std::int64_t> number{0};
  };

  static std::size_t place_of(pthread_t thread, std::size_t attempt) {
    return (static_cast<std::size_t>((thread * 0x9E3779B97F4A7C15U) >> 52) + attempt) % kSlots;
  }

  std::array<Slot, kSlots> slots_;
};

}  // namespace weir::capture
