#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace weir::capture {

// Numbers below 64 times `words`, a bit each: takes the lowest that is free, from a word on below which there
// is none. When all are taken, the last is shared by all beyond.
inline std::uint32_t take_lowest(std::uint64_t* in_use, std::uint32_t words, std::uint32_t from_word = 0) {
  for (std::uint32_t word = from_word; word < words; ++word) {
    if (~in_use[word] == 0) continue;
    const auto bit = static_cast<std::uint32_t>(std::countr_one(in_use[word]));
    in_use[word] |= std::uint64_t{1} << bit;
    return 64 * word + bit;
  }
  return 64 * words - 1;
}

inline void free_number(std::uint64_t* in_use, std::uint32_t number) {
  in_use[number / 64] &= ~(std::uint64_t{1} << (number % 64));
}

// Takes a slot out of a table with linear probing: those behind it that belong further up move up, so that a
// search may stop at the first slot that is free.
template <std::size_t Slots, class Slot, class IsUsed, class HomeOf>
void take_out(Slot* slots, std::size_t hole, IsUsed&& is_used, HomeOf&& home_of) {
  for (std::size_t at = (hole + 1) % Slots; is_used(slots[at]); at = (at + 1) % Slots) {
    const std::size_t home = home_of(slots[at]);
    const bool stays = hole < at ? home > hole && home <= at : home > hole || home <= at;
    if (stays) continue;
    slots[hole] = slots[at];
    hole = at;
  }
  slots[hole] = Slot{};
}

}  // namespace weir::capture
