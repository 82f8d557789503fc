#include "capture/held_threads.hpp"

#include <climits>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/process.hpp"

namespace weir::capture {

[[gnu::tls_model("initial-exec")]] thread_local constinit std::int64_t HeldThreads::last_number = 0;

namespace {

template <class State>
void wait_on(const std::atomic<State>& word, State seen, const timespec* most) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, static_cast<std::uint32_t>(seen), most, nullptr, 0);
}

template <class State>
void wake(const std::atomic<State>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

bool is_detached(const pthread_attr_t* attributes) {
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &state);
  return state != PTHREAD_CREATE_JOINABLE;
}

HeldThreads::Slot* HeldThreads::take(Start start, void* argument) {
  for (Slot& slot : slots_) {
    State is = State::free;
    if (!slot.state.compare_exchange_strong(is, State::filling)) continue;
    slot.start = start;
    slot.argument = argument;
    slot.state.store(State::held, std::memory_order_release);
    return &slot;
  }
  return nullptr;
}

bool HeldThreads::Slot::ask() {
  State is = State::held;
  if (state.compare_exchange_strong(is, State::asked)) return true;
  state.store(State::free, std::memory_order_release);
  return false;
}

std::int64_t HeldThreads::answer(Slot& slot, pthread_t thread) {
  const std::int64_t number = Process::current().threads().begun(thread);
  slot.state.store(State::going, std::memory_order_release);
  wake(slot.state);
  return number;
}

// Its maker is on its way back from making it, and may have been put aside meanwhile.
void HeldThreads::wait_for_maker(Slot& slot) {
  constexpr timespec kPatience{0, 100'000'000};
  while (slot.state.load(std::memory_order_acquire) == State::held) {
    timespec before{};
    clock_gettime(CLOCK_MONOTONIC, &before);
    wait_on(slot.state, State::held, &kPatience);
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const long passed = (now.tv_sec - before.tv_sec) * 1'000'000'000 + now.tv_nsec - before.tv_nsec;
    State is = State::held;
    if (passed >= kPatience.tv_nsec && slot.state.compare_exchange_strong(is, State::left)) return;
  }
  while (slot.state.load(std::memory_order_acquire) == State::asked)
    wait_on(slot.state, State::asked, nullptr);
  slot.state.store(State::free, std::memory_order_release);
}

void* HeldThreads::begin(void* held) {
  auto& slot = *static_cast<Slot*>(held);
  const Start start = slot.start;
  void* const argument = slot.argument;
  wait_for_maker(slot);
  return start(argument);
}

}  // namespace weir::capture
