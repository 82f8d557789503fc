#include "capture/objects.hpp"

#include "capture/id_pool.hpp"
#include "capture/process.hpp"

namespace weir::capture {

[[gnu::tls_model("initial-exec")]] thread_local constinit Objects::Found Objects::found_before[kKept] = {};

bool Objects::start() {
  if (slots_ != nullptr) return true;
  constexpr std::size_t slot_bytes = kSlots * sizeof(Object);
  void* const memory = map_inherited(slot_bytes + kKinds * kIds / 8);
  if (memory == nullptr) return false;
  ids_in_use_ = reinterpret_cast<std::uint64_t*>(static_cast<std::byte*>(memory) + slot_bytes);
  slots_ = static_cast<Object*>(memory);
  Process::current().free_in_children(lock_);
  return true;
}

Objects::Object* Objects::look_up(Role kind, std::uint64_t bits) const {
  for (std::size_t at = place_of(kind, bits);; at = (at + 1) % kSlots) {
    Object& object = slots_[at];
    if (!object.used) return nullptr;
    if (object.bits == bits && object.kind == kind) return &object;
  }
}

Objects::Object Objects::search(Role kind, std::uint64_t bits) const {
  if (slots_ == nullptr) return {};
  const Spinning locked(lock_);
  const Object* const found = look_up(kind, bits);
  return found != nullptr ? *found : Object{};
}

// The slot for it, with whatever was there before forgotten; null when the table is full.
Objects::Object* Objects::make(Role kind, std::uint64_t bits) {
  if (slots_ == nullptr) return nullptr;
  changes_.fetch_add(1, std::memory_order_release);
  Object* object = look_up(kind, bits);
  if (object != nullptr) {
    if (object->name == nullptr && kind != Role::communicator) give_back(kind, object->id);
  } else {
    if (count_ >= kMost) return nullptr;
    ++count_;
    std::size_t at = place_of(kind, bits);
    while (slots_[at].used) at = (at + 1) % kSlots;
    object = &slots_[at];
  }
  *object = Object{};
  object->bits = bits;
  object->kind = kind;
  object->used = true;
  return object;
}

Objects::Object Objects::add(Role kind, std::uint64_t bits) {
  const Spinning locked(lock_);
  Object* const object = make(kind, bits);
  if (object == nullptr) return {};
  object->id = kind == Role::communicator ? next_communicator_++ : take_id(kind);
  return *object;
}

void Objects::add_communicator(std::uint64_t bits, std::uint32_t id, std::int32_t rank, bool inter) {
  const Spinning locked(lock_);
  if (id >= next_communicator_) next_communicator_ = id + 1;
  Object* const object = make(Role::communicator, bits);
  if (object == nullptr) return;
  object->id = id;
  object->rank = rank;
  object->inter = inter;
}

void Objects::predefine(Role kind, std::uint64_t bits, const char* name, std::int32_t rank) {
  const Spinning locked(lock_);
  Object* const object = make(kind, bits);
  if (object == nullptr) return;
  object->name = name;
  object->rank = rank;
}

void Objects::remove(Role kind, std::uint64_t bits) {
  if (slots_ == nullptr) return;
  const Spinning locked(lock_);
  Object* const found = look_up(kind, bits);
  if (found == nullptr || found->name != nullptr) return;
  changes_.fetch_add(1, std::memory_order_release);
  if (kind != Role::communicator) give_back(kind, found->id);
  take_out<kSlots>(
      slots_, static_cast<std::size_t>(found - slots_), [](const Object& one) { return one.used; },
      [](const Object& one) { return place_of(one.kind, one.bits); });
  --count_;
}

std::uint32_t Objects::take_id(Role kind) {
  return take_lowest(ids_in_use_ + static_cast<std::size_t>(kind) * (kIds / 64), kIds / 64);
}

void Objects::give_back(Role kind, std::uint32_t id) {
  free_number(ids_in_use_ + static_cast<std::size_t>(kind) * (kIds / 64), id);
}

}  // namespace weir::capture
