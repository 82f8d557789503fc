#include "capture/handles.hpp"

#include <new>

#include "capture/id_pool.hpp"

namespace weir::capture {
bool Handles::start() {
  constexpr std::size_t descriptor_bytes = kDescriptors * sizeof(std::atomic<std::uint64_t>);
  constexpr std::size_t pointer_bytes = kPointers * sizeof(PointerSlot);
  constexpr std::size_t id_bytes = Handle::kIds / 8;
  // Unlike a lane's memory this stays in a forked child, which inherits the descriptors.
  void* const memory = map_inherited(descriptor_bytes + pointer_bytes + id_bytes);
  if (memory == nullptr) return false;
  auto* const bytes = static_cast<std::byte*>(memory);
  descriptors_ = reinterpret_cast<std::atomic<std::uint64_t>*>(bytes);
  pointers_ = reinterpret_cast<PointerSlot*>(bytes + descriptor_bytes);
  ids_in_use_ = reinterpret_cast<std::uint64_t*>(bytes + descriptor_bytes + pointer_bytes);
  return true;
}

void Handles::after_fork() { lock_.reset(); }

std::uint32_t Handles::take_id() {
  const std::uint32_t id = take_lowest(ids_in_use_, Handle::kIds / 64, lowest_free_word_);
  lowest_free_word_ = id / 64;
  return id;
}

void Handles::give_back(std::uint32_t id) {
  free_number(ids_in_use_, id);
  if (id / 64 < lowest_free_word_) lowest_free_word_ = id / 64;
}

Handle Handles::make(bool ignored) {
  if (++generation_ == 0) generation_ = 1;
  return {generation_, take_id(), ignored};
}

Handle Handles::open(int descriptor, bool ignored, Handle* replaced) {
  if (descriptor < 0 || descriptor >= kDescriptors) return {};
  const Locked locked(lock_);
  const Handle before = Handle::unpacked(descriptors_[descriptor].load(std::memory_order_relaxed));
  if (before.known()) give_back(before.id);
  if (replaced != nullptr) *replaced = before;
  const Handle made = make(ignored);
  descriptors_[descriptor].store(made.packed(), std::memory_order_release);
  return made;
}

void Handles::close(int descriptor, Handle handle) {
  if (descriptor < 0 || descriptor >= kDescriptors || !handle.known()) return;
  const Locked locked(lock_);
  std::uint64_t expected = handle.packed();
  if (descriptors_[descriptor].compare_exchange_strong(expected, 0, std::memory_order_acq_rel))
    give_back(handle.id);
}

void Handles::close_range(unsigned first, unsigned last) {
  const Locked locked(lock_);
  for (unsigned descriptor = first; descriptor <= last && descriptor < kDescriptors; ++descriptor) {
    const Handle found = Handle::unpacked(descriptors_[descriptor].load(std::memory_order_relaxed));
    if (!found.known()) continue;
    give_back(found.id);
    descriptors_[descriptor].store(0, std::memory_order_release);
  }
}

Handles::PointerSlot* Handles::slot_of(const void* pointer) const {
  const auto wanted = reinterpret_cast<std::uintptr_t>(pointer);
  std::size_t at = (wanted >> 4) * 0x9E3779B97F4A7C15U >> 48;
  static_assert(kPointers == 1 << 16);
  for (std::size_t tries = 0; tries < kPointers; ++tries, at = (at + 1) % kPointers) {
    const std::uintptr_t found = pointers_[at].pointer.load(std::memory_order_acquire);
    if (found == wanted || found == 0) return &pointers_[at];
  }
  return nullptr;
}

Handle Handles::find(const void* pointer) const {
  const PointerSlot* const slot = slot_of(pointer);
  if (slot == nullptr || slot->pointer.load(std::memory_order_acquire) == 0) return {};
  return Handle::unpacked(slot->handle.load(std::memory_order_acquire));
}

// Slots of closed pointers keep their pointer: streams come back at the same few addresses.
Handle Handles::open(const void* pointer, bool ignored, Handle* replaced) {
  const Locked locked(lock_);
  PointerSlot* const slot = slot_of(pointer);
  if (slot == nullptr) return {};
  const bool is_new = slot->pointer.load(std::memory_order_relaxed) == 0;
  if (is_new && pointers_used_ >= kPointers / 2) return {};
  const Handle before = is_new ? Handle{} : Handle::unpacked(slot->handle.load(std::memory_order_relaxed));
  if (before.known()) give_back(before.id);
  if (replaced != nullptr) *replaced = before;
  const Handle made = make(ignored);
  slot->handle.store(made.packed(), std::memory_order_release);
  if (is_new) {
    ++pointers_used_;
    slot->pointer.store(reinterpret_cast<std::uintptr_t>(pointer), std::memory_order_release);
  }
  return made;
}

void Handles::close(const void* pointer, Handle handle) {
  if (!handle.known()) return;
  const Locked locked(lock_);
  PointerSlot* const slot = slot_of(pointer);
  if (slot == nullptr || slot->pointer.load(std::memory_order_relaxed) == 0) return;
  std::uint64_t expected = handle.packed();
  if (slot->handle.compare_exchange_strong(expected, 0, std::memory_order_acq_rel)) give_back(handle.id);
}

}  // namespace weir::capture
