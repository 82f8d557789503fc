#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace weir::trace::detail {

// Numbers keys 0, 1, 2, ... in order of their first appearance: a hash table with open addressing.
class FlatIndex {
 public:
  FlatIndex() : slots_(64, kEmpty) {}

  std::uint32_t number(std::uint64_t key) {
    std::size_t at = slot_of(key);
    while (slots_[at] != kEmpty) {
      if (keys_[slots_[at]] == key) return slots_[at];
      at = (at + 1) & (slots_.size() - 1);
    }
    const auto added = static_cast<std::uint32_t>(keys_.size());
    slots_[at] = added;
    keys_.push_back(key);
    if (2 * keys_.size() > slots_.size()) grow();
    return added;
  }
  std::size_t size() const { return keys_.size(); }

 private:
  static constexpr std::uint32_t kEmpty = std::numeric_limits<std::uint32_t>::max();

  std::size_t slot_of(std::uint64_t key) const {
    return ((key * 0x9e3779b97f4a7c15u) >> 20) & (slots_.size() - 1);  // Fibonacci hashing
  }
  void grow() {
    slots_.assign(2 * slots_.size(), kEmpty);
    for (std::uint32_t i = 0; i < keys_.size(); ++i) {
      std::size_t at = slot_of(keys_[i]);
      while (slots_[at] != kEmpty) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = i;
    }
  }

  std::vector<std::uint32_t> slots_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace weir::trace::detail
