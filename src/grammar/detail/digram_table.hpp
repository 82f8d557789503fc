#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::grammar::detail {

// Two neighbouring runs.
struct Digram {
  std::uint32_t left;
  std::uint32_t right;
  std::uint64_t left_count;
  std::uint64_t right_count;

  friend bool operator==(const Digram&, const Digram&) = default;

  // 32 well mixed bits. The constants are odd parts of the golden ratio and of square roots.
  std::uint32_t hash() const {
    std::uint64_t mixed = ((std::uint64_t{left} << 32) | right) * 0x9E3779B97F4A7C15u;
    mixed ^= mixed >> 29;
    mixed += left_count * 0xBB67AE8584CAA73Bu;
    mixed ^= (right_count * 0x3C6EF372FE94F82Bu) >> 7;
    mixed *= 0xA54FF53A5F1D36F1u;
    return static_cast<std::uint32_t>(mixed >> 32);
  }
};

// The node at which each digram starts: open addressing with linear probing, at most two thirds full, erased
// by shifting back, so that it never holds tombstones. Digrams are not kept here but read through the
// caller's `digram_at(node)`.
class DigramTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  DigramTable() { slots_.resize(kSmallest); }

  // The node entered for `digram`, or kNone after entering `node` for it.
  template <class DigramAt>
  std::uint32_t find_or_enter(const Digram& digram, std::uint32_t node, const DigramAt& digram_at) {
    const std::uint32_t hash = digram.hash();
    std::size_t at = hash & mask();
    for (; slots_[at].node != kNone; at = (at + 1) & mask())
      if (slots_[at].hash == hash && digram_at(slots_[at].node) == digram) return slots_[at].node;
    slots_[at] = {node, hash};
    ++size_;
    if (3 * size_ > 2 * slots_.size()) grow();
    return kNone;
  }

  // Takes out `node`, which is entered for `digram`.
  void erase(const Digram& digram, std::uint32_t node) {
    std::size_t hole = digram.hash() & mask();
    while (slots_[hole].node != node) hole = (hole + 1) & mask();
    for (std::size_t at = (hole + 1) & mask(); slots_[at].node != kNone; at = (at + 1) & mask()) {
      // A slot may move back into the hole unless its home lies behind the hole.
      const std::size_t home = slots_[at].hash & mask();
      if (((at - home) & mask()) < ((at - hole) & mask())) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = {};
    --size_;
  }

  // Empties the table and keeps its memory.
  void clear() {
    if (size_ != 0) std::fill(slots_.begin(), slots_.end(), Slot{});
    size_ = 0;
  }

  void reserve(std::size_t digrams) {
    while (2 * slots_.size() < 3 * digrams) grow();
  }

  std::size_t memory_bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint32_t node = kNone;
    std::uint32_t hash = 0;
  };
  static constexpr std::size_t kSmallest = 64;

  std::size_t mask() const { return slots_.size() - 1; }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.node == kNone) continue;
      std::size_t at = slot.hash & mask();
      while (slots_[at].node != kNone) at = (at + 1) & mask();
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;  // a power of two
  std::size_t size_ = 0;
};

}  // namespace weir::grammar::detail
