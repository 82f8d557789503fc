#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace weir {

// Which intercepted calls this thread is inside of, and whether it is doing a handler's work or the
// program's.
//
// The same thread may come back in: through the real function (MPI_File_write calls pwrite), through the
// handler's own I/O, through a signal handler at any instruction, and through a vforked child, which runs in
// its parent's memory. So every change is one store, in an order that leaves a consistent state between any
// two of them, and what a call found on entry is put back on exit rather than counted down.
//
// A call may also never come back: a signal handler jumps out of it (siglongjmp), or a vforked child dies
// inside it. Its frame is then dead stack. Frames are recorded by address, and a call that starts at or above
// a recorded frame proves that one dead (the stack grows down); dead calls and all inside them are forgotten.
// Until such a call comes, depth is too large, and if the jump left a handler's own work, calls go by
// unhandled: a program that jumps and then only ever calls from deeper in the stack stays unhandled. On an
// alternate signal stack addresses prove nothing, and nothing is forgotten there. Coroutines that switch
// stacks in the middle of an intercepted call are not seen through.
//
// always_inline, here and in dispatch.hpp: in a file of some hundred shims the compiler thinks it has inlined
// enough and turns these few instructions into calls, which doubles what the cheapest calls cost (fgetc).
class Guard {
 public:
  // Whether `frame` may open a call: false inside a handler's own work, and then the real function is all
  // that runs. Forgets dead calls first.
  [[gnu::always_inline]] bool may_enter(std::uintptr_t frame) {
    const std::uint32_t state = state_.load(std::memory_order_relaxed);
    if (state == 0) [[likely]]
      return true;
    return may_enter_nested(frame);
  }

  // What was there before a call, for close().
  [[gnu::always_inline]] std::uint32_t open(std::uintptr_t frame) {
    const std::uint32_t before = state_.load(std::memory_order_relaxed);
    const std::uint32_t slot = before >> 1;
    // The frame first: a jump between the two stores leaves no trace. A signal between them that does calls
    // of its own clears the slot, which means "not known to be dead" and costs nothing but the healing of
    // this one call.
    if (slot < kFrames) frames_[slot].store(frame, std::memory_order_relaxed);
    fence();
    state_.store(before + kOneCall + kOwnWork, std::memory_order_relaxed);
    fence();
    return before;
  }

  [[gnu::always_inline]] void close(std::uint32_t before) {
    fence();
    if ((before >> 1) < kFrames) frames_[before >> 1].store(kUnknown, std::memory_order_relaxed);
    fence();
    state_.store(before, std::memory_order_relaxed);
  }

  // Around the real function, inside an open call that found `before`.
  [[gnu::always_inline]] void leave_own_work(std::uint32_t before) { set(before + kOneCall); }
  [[gnu::always_inline]] void resume_own_work(std::uint32_t before) { set(before + kOneCall + kOwnWork); }

  // Intercepted calls this thread is inside of.
  static std::uint32_t depth_of(std::uint32_t state) { return state >> 1; }
  std::uint32_t depth() const { return depth_of(state_.load(std::memory_order_relaxed)); }
  bool in_own_work() const { return (state_.load(std::memory_order_relaxed) & kOwnWork) != 0; }

  // Calls that went straight to the real function: the handler's own, and those of signal handlers that
  // interrupted it.
  std::uint64_t passed() const { return passed_.load(std::memory_order_relaxed); }
  // Forgets those since it was `before`.
  void set_passed(std::uint64_t before) { passed_.store(before, std::memory_order_relaxed); }

  static Guard& current();

 private:
  static constexpr std::uint32_t kOwnWork = 1;
  static constexpr std::uint32_t kOneCall = 2;
  static constexpr std::size_t kFrames = 16;  // deeper calls are counted but can not be found dead
  static constexpr std::uintptr_t kUnknown = 0;

  // Only this thread looks: the compiler must keep the order, the processor does.
  static void fence() { std::atomic_signal_fence(std::memory_order_seq_cst); }

  [[gnu::always_inline]] void set(std::uint32_t state) {
    fence();
    state_.store(state, std::memory_order_relaxed);
    fence();
  }

  bool may_enter_nested(std::uintptr_t frame);
  void forget_dead(std::uintptr_t frame);

  std::atomic<std::uint32_t> state_{
      0};  // 2 x depth + whether the innermost call is in its handler's own work
  std::atomic<std::uint64_t> passed_{0};
  std::array<std::atomic<std::uintptr_t>, kFrames> frames_{};
};

namespace detail {
// initial-exec: reading it never allocates, not in a new thread and not in a signal handler.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Guard thread_guard;
}  // namespace detail

[[gnu::always_inline]] inline Guard& Guard::current() { return detail::thread_guard; }

}  // namespace weir
