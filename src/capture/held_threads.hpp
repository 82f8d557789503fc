#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <pthread.h>

namespace weir::capture {

bool is_detached(const pthread_attr_t* attributes);

// A thread that is made detached may be gone, and what the program wrote down about it with it, before
// anybody has asked for its number. So it is held where it begins until its maker has asked, or for a moment
// at most. Takes no lock and allocates nothing.
class HeldThreads {
 public:
  using Start = void* (*)(void*);

  // Of the last one that the calling thread made.
  [[gnu::tls_model("initial-exec")]] static thread_local constinit std::int64_t last_number;

  // Makes the thread by make(start, argument), which is to put what it is called into `*thread`. Leaves the
  // kernel's number of it, 0 when it cannot be told.
  template <class Make>
  int make(Make&& make, const pthread_t* thread, Start start, void* argument) {
    last_number = 0;
    Slot* const slot = take(start, argument);
    if (slot == nullptr) return make(start, argument);
    const int result = make(&begin, slot);
    if (result != 0)
      slot->state.store(State::free, std::memory_order_release);
    else if (slot->ask())
      last_number = answer(*slot, *thread);
    return result;
  }

 private:
  enum class State : std::uint32_t {
    free,
    filling,
    held,   // until the maker has come
    asked,  // until it has its answer
    going,  // the thread may go on, and frees the slot
    left,   // the thread has gone on by itself; the maker frees the slot
  };
  struct Slot {
    std::atomic<State> state{State::free};
    Start start = nullptr;
    void* argument = nullptr;

    bool ask();
  };
  static constexpr std::size_t kSlots = 64;

  static void* begin(void* slot);
  static void wait_for_maker(Slot& slot);
  static std::int64_t answer(Slot& slot, pthread_t thread);
  Slot* take(Start start, void* argument);

  std::array<Slot, kSlots> slots_;
};

}  // namespace weir::capture
