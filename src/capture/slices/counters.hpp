#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "capture/slices/descriptors.hpp"
#include "capture/slices/scope.hpp"
#include "trace/slice_file.hpp"

namespace weir::capture {

// The counters of this process in its current slice, in a file it maps. Settings come from the environment:
// WEIR_SLICES_DIR and WEIR_SLICES_NS, without which nothing is counted, and WEIR_SLICES_NOT_IN with names of
// programs that are left out. A forked child finds the state wiped
// by the kernel, and makes a file of its own; what it took over it knows nothing of. Allocates nothing after
// the first call, and never fails the program.
class SliceCounters {
 public:
  // Whether calls are to be counted; makes the file at the first.
  static bool counting() {
    const State* const state = state_.load(std::memory_order_acquire);
    return (state != nullptr && state->words.load(std::memory_order_acquire) != nullptr) || start();
  }

  // A call that ended at `end_ns` on the wall clock. Counted whole in the slice in which it ends.
  static void add(trace::slices::Layer layer, trace::slices::Operation operation, std::int64_t begin_ns,
                  std::int64_t end_ns, std::uint64_t bytes) {
    State& state = *state_.load(std::memory_order_relaxed);
    if (end_ns >= state.next_ns.load(std::memory_order_relaxed)) [[unlikely]]
      advance(state, end_ns);
    std::atomic<std::uint64_t>* const record = state.record.load(std::memory_order_acquire);
    if (record == nullptr) [[unlikely]]
      return;
    std::atomic<std::uint64_t>* const counts = record + trace::slices::place(layer, operation);
    counts[0].fetch_add(1, std::memory_order_relaxed);
    if (bytes > 0) counts[1].fetch_add(bytes, std::memory_order_relaxed);
    if (end_ns > begin_ns)
      counts[2].fetch_add(static_cast<std::uint64_t>(end_ns - begin_ns), std::memory_order_relaxed);
  }
  // More in the slice of the call that was added last.
  static void add_more(trace::slices::Layer layer, trace::slices::Operation operation, std::uint64_t calls,
                       std::uint64_t bytes) {
    std::atomic<std::uint64_t>* const record =
        state_.load(std::memory_order_relaxed)->record.load(std::memory_order_acquire);
    if (record == nullptr) [[unlikely]]
      return;
    std::atomic<std::uint64_t>* const counts = record + trace::slices::place(layer, operation);
    if (calls > 0) counts[0].fetch_add(calls, std::memory_order_relaxed);
    if (bytes > 0) counts[1].fetch_add(bytes, std::memory_order_relaxed);
  }

  // What is known of a descriptor; null for a number that is too large or none. While counting.
  static Descriptor* descriptor(int fd) {
    if (fd < 0 || fd >= kMostDescriptors) return nullptr;
    void* const state = state_.load(std::memory_order_relaxed);
    return &(*reinterpret_cast<Descriptors*>(static_cast<std::byte*>(state) +
                                             kStateBytes))[static_cast<std::size_t>(fd)];
  }
  // Whether it is a file or a block device where calls count: pipes, sockets and terminals are no storage.
  static bool is_file(int fd) {
    if (fd >= kMostDescriptors) return SliceScope::holds(fd);
    Descriptor* const known = descriptor(fd);
    if (known == nullptr) return false;
    const Descriptor::Kind kind = known->kind();
    return kind == Descriptor::unknown ? look_at(fd, *known) : kind == Descriptor::file;
  }

 private:
  static constexpr std::size_t kStateBytes = 4096;  // the page of the state; then come the descriptors

  // On a page that the kernel wipes in a forked child, as it does those of the descriptors behind it.
  struct State {
    std::atomic<std::atomic<std::uint64_t>*> words{nullptr};  // the mapped file
    std::atomic<std::atomic<std::uint64_t>*> record{
        nullptr};  // of the current slice; null when the file is full
    std::atomic<std::int64_t> next_ns{0};
    std::atomic<std::uint32_t> busy{0};
    std::atomic<std::uint32_t> off{0};
    std::int64_t slice_ns = 0;
  };

  static bool start();
  static bool open_file(State& state);
  static void advance(State& state, std::int64_t now_ns);
  static bool look_at(int fd, Descriptor& known);

  static constinit std::atomic<State*> state_;
};

}  // namespace weir::capture
