#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace weir::capture {

// Zeroed memory that costs nothing until it is touched. In a forked child it reads as zero again: that is how
// a child notices, without a word from the C library, that it must not write into its parent's files. Null
// when the system refuses.
void* map_memory(std::size_t bytes);
// The same, but a forked child keeps what is in it.
void* map_inherited(std::size_t bytes);
void unmap_memory(void* memory, std::size_t bytes);

// A lock for rare work. It is held with all signals blocked, so that no handler can wait for its own thread;
// a forked child resets it.
class Lock {
 public:
  void take();
  void release() { held_.store(0, std::memory_order_release); }
  void reset() { held_.store(0, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint32_t> held_{0};
};

// A lock for short work that no signal handler does: libraries such as MPI may not be called from one.
class SpinLock {
 public:
  void take() {
    while (held_.exchange(true, std::memory_order_acquire))
      while (held_.load(std::memory_order_relaxed)) continue;
  }
  void release() { held_.store(false, std::memory_order_release); }
  void reset() { held_.store(false, std::memory_order_relaxed); }

 private:
  std::atomic<bool> held_{false};
};

class Spinning {
 public:
  explicit Spinning(SpinLock& lock) : lock_(lock) { lock_.take(); }
  ~Spinning() { lock_.release(); }
  Spinning(const Spinning&) = delete;
  Spinning& operator=(const Spinning&) = delete;

 private:
  SpinLock& lock_;
};

// All signals wait until the end of the scope: what happens inside is seen whole or not at all.
class SignalsBlocked {
 public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  std::uint64_t before_ = 0;
};

class Locked {
 public:
  explicit Locked(Lock& lock) : lock_(lock) { lock_.take(); }
  ~Locked() { lock_.release(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  SignalsBlocked blocked_;
  Lock& lock_;
};

}  // namespace weir::capture
