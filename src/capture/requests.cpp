#include "capture/requests.hpp"

#include "capture/id_pool.hpp"
#include "capture/process.hpp"

namespace weir::capture {

bool Requests::start() {
  if (slots_ != nullptr) return true;
  constexpr std::size_t slot_bytes = kSlots * sizeof(Request);
  constexpr std::size_t number_bytes = std::size_t{kPools} * kPerPool / 8;
  constexpr std::size_t hash_bytes = std::size_t{4} * kPools * sizeof(std::uint64_t);
  void* const memory = map_inherited(slot_bytes + number_bytes + hash_bytes);
  if (memory == nullptr) return false;
  auto* const bytes = static_cast<std::byte*>(memory);
  in_use_ = reinterpret_cast<std::uint64_t*>(bytes + slot_bytes);
  pool_hashes_ = reinterpret_cast<std::uint64_t*>(bytes + slot_bytes + number_bytes);
  slots_ = reinterpret_cast<Request*>(bytes);
  Process::current().free_in_children(lock_);
  return true;
}

std::uint32_t Requests::pool_of(std::uint64_t signature) {
  constexpr std::size_t slots = 2 * std::size_t{kPools};
  for (std::size_t at = signature % slots;; at = (at + 1) % slots) {
    std::uint64_t* const slot = pool_hashes_ + 2 * at;
    if (slot[1] == 0) {
      if (pools_ == kPools) return kPools - 1;
      slot[0] = signature;
      slot[1] = ++pools_;
      return pools_ - 1;
    }
    if (slot[0] == signature) return static_cast<std::uint32_t>(slot[1] - 1);
  }
}

Requests::Request Requests::add(std::uint64_t bits, std::uint64_t signature, bool receives, bool persistent,
                                bool of_file) {
  if (slots_ == nullptr) return {};
  const Spinning locked(lock_);
  if (count_ >= kMost) return {};
  ++count_;
  if (++births_ == 0) births_ = 1;
  const std::uint32_t pool = pool_of(signature);
  const std::uint32_t number = take_lowest(in_use_ + std::size_t{pool} * (kPerPool / 64), kPerPool / 64);
  const Request made{bits, pool * kPerPool + number, births_, receives, persistent, of_file, false};
  std::size_t at = place_of(bits);
  while (slots_[at].known()) at = (at + 1) % kSlots;
  slots_[at] = made;
  return made;
}

Requests::Request Requests::find(std::uint64_t bits, std::uint32_t passing_over) const {
  if (slots_ == nullptr) return {};
  const Spinning locked(lock_);
  // Alike ones lie in the order of their births, unless a hole among them was filled: one look is enough
  // then.
  Request found;
  std::uint32_t all = 0;
  bool in_order = true;
  for (std::size_t at = place_of(bits), last = 0; slots_[at].known(); at = (at + 1) % kSlots) {
    if (slots_[at].bits != bits) continue;
    in_order = in_order && slots_[at].order > last;
    last = slots_[at].order;
    if (all++ == passing_over) found = slots_[at];
  }
  if (in_order) {
    found.shared = found.known() && all > 1;
    return found;
  }
  std::uint32_t after = 0;  // those born up to here were passed over
  for (std::uint32_t round = 0; round <= passing_over; ++round) {
    found = {};
    std::uint32_t alike = 0;
    for (std::size_t at = place_of(bits); slots_[at].known(); at = (at + 1) % kSlots) {
      if (slots_[at].bits != bits) continue;
      ++alike;
      if (slots_[at].order > after && (!found.known() || slots_[at].order < found.order)) found = slots_[at];
    }
    if (!found.known()) return {};
    found.shared = alike > 1;
    after = found.order;
  }
  return found;
}

void Requests::remove(const Request& request) {
  if (slots_ == nullptr || !request.known()) return;
  const Spinning locked(lock_);
  std::size_t hole = place_of(request.bits);
  while (slots_[hole].known() && slots_[hole].order != request.order) hole = (hole + 1) % kSlots;
  if (!slots_[hole].known()) return;
  free_number(in_use_, request.id);
  take_out<kSlots>(
      slots_, hole, [](const Request& one) { return one.known(); },
      [](const Request& one) { return place_of(one.bits); });
  --count_;
}

}  // namespace weir::capture
