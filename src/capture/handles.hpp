#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "capture/memory.hpp"

namespace weir::capture {

// What the process knows of one open descriptor, stream or directory. The id is the lowest that was free, so
// that the same program gives the same ids wherever its descriptors happen to lie; the generation tells two
// handles with one id apart.
struct Handle {
  std::uint32_t generation = 0;  // 0: nothing is known
  std::uint32_t id = 0;
  bool ignored = false;  // the user left this path out

  bool known() const { return generation != 0; }

  static constexpr std::uint32_t kIds = 1U << 20;  // the last one is shared by all beyond
  static constexpr std::uint64_t kIgnored = std::uint64_t{1} << 31;
  std::uint64_t packed() const { return std::uint64_t{generation} << 32 | (ignored ? kIgnored : 0) | id; }
  static Handle unpacked(std::uint64_t bits) {
    return {static_cast<std::uint32_t>(bits >> 32), static_cast<std::uint32_t>(bits & (kIds - 1)),
            (bits & kIgnored) != 0};
  }
};

// The open handles of the process. Reading takes no lock; opening and closing do, and happen beside a system
// call that costs far more.
class Handles {
 public:
  static constexpr int kDescriptors = 1 << 20;

  bool start();
  void after_fork();  // handles stay known, locks do not stay held

  Handle find(int descriptor) const {
    if (descriptor < 0 || descriptor >= kDescriptors) [[unlikely]]
      return {};
    return Handle::unpacked(descriptors_[descriptor].load(std::memory_order_acquire));
  }
  Handle find(const void* pointer) const;

  // A new handle in place of what was known there. `replaced` is what was, if anything.
  Handle open(int descriptor, bool ignored, Handle* replaced = nullptr);
  Handle open(const void* pointer, bool ignored, Handle* replaced = nullptr);

  // Forgets `handle`, unless another thread has opened another one in its place meanwhile.
  void close(int descriptor, Handle handle);
  void close(const void* pointer, Handle handle);
  // Forgets the descriptors first..last; for close_range() and its like.
  void close_range(unsigned first, unsigned last);

 private:
  static constexpr std::size_t kPointers = 1 << 16;  // slots; more open streams than half of it go unnoticed
  struct PointerSlot {
    std::atomic<std::uintptr_t> pointer;
    std::atomic<std::uint64_t> handle;
  };

  std::uint32_t take_id();
  void give_back(std::uint32_t id);
  Handle make(bool ignored);
  PointerSlot* slot_of(const void* pointer) const;

  std::atomic<std::uint64_t>* descriptors_ = nullptr;
  PointerSlot* pointers_ = nullptr;
  std::uint64_t* ids_in_use_ = nullptr;  // a bit each
  std::uint32_t lowest_free_word_ = 0;
  std::uint32_t generation_ = 0;
  std::uint32_t pointers_used_ = 0;
  Lock lock_;
};

}  // namespace weir::capture
