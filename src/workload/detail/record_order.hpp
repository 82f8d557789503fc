#pragma once

#include <bit>
#include <cstdint>

#include "workload/detail/mode_shape.hpp"

namespace weir::workload::detail {

// Spreads a number over all 64 bits; a bijection (the finaliser of SplitMix64, Steele, Lea and Flood 2014).
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}
constexpr std::uint64_t mix(std::uint64_t x, std::uint64_t y) { return mix(mix(x) ^ y); }

// A permutation of 0 .. count-1 that needs no table: rounds of xor-shift and odd multiplication are
// bijections of k-bit numbers, and what falls outside is sent through again (on average less than once more).
class Shuffle {
 public:
  Shuffle(std::uint64_t count, std::uint64_t seed)
      : count_(count), bits_(count < 2 ? 1 : static_cast<unsigned>(std::bit_width(count - 1))) {
    mask_ = bits_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits_) - 1;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      add_[round] = mix(seed, 2 * round);
      multiply_[round] = mix(seed, 2 * round + 1) | 1U;
    }
  }

  std::uint64_t operator()(std::uint64_t index) const {
    do index = once(index);
    while (index >= count_);
    return index;
  }

 private:
  static constexpr std::uint64_t kRounds = 3;

  std::uint64_t once(std::uint64_t x) const {
    const unsigned half = (bits_ + 1) / 2;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      x = ((x + add_[round]) * multiply_[round]) & mask_;
      x ^= x >> half;
    }
    return x;
  }

  std::uint64_t count_;
  std::uint64_t mask_ = 0;
  unsigned bits_;
  std::uint64_t add_[kRounds] = {};
  std::uint64_t multiply_[kRounds] = {};
};

// Hands out the records of one worker in a mode's order; asked exactly `count` times.
template <Order O>
class RecordOrder {
 public:
  RecordOrder(std::uint64_t count, std::uint64_t stride, std::uint64_t seed)
      : count_(count), stride_(stride), shuffle_(count, seed) {}

  std::uint64_t next() {
    const std::uint64_t index = at_++;
    if constexpr (O == Order::forward) return index;
    if constexpr (O == Order::backward) return count_ - 1 - index;
    if constexpr (O == Order::shuffled) return shuffle_(index);
    if constexpr (O == Order::same) return 0;
    // IOzone's stride: 0, s, 2s, ... to the end of the file, then 1, s+1, ..., until all was visited.
    const std::uint64_t record = place_;
    place_ = stride_ < count_ - place_ ? place_ + stride_ : ++first_;
    return record;
  }

 private:
  std::uint64_t count_;
  std::uint64_t stride_;
  Shuffle shuffle_;
  std::uint64_t at_ = 0;
  std::uint64_t place_ = 0;
  std::uint64_t first_ = 0;
};

// Which records of `mixed` are read. Known from the record alone, so that who reads a file back knows which
// records were written.
class Coin {
 public:
  Coin(double read_share, std::uint64_t seed)
      : always_(read_share >= 1), limit_(static_cast<std::uint64_t>(read_share * 0x1p63)), seed_(mix(seed)) {}
  bool reads(std::uint64_t record) const { return always_ || (mix(seed_ ^ record) >> 1U) < limit_; }

 private:
  bool always_;
  std::uint64_t limit_;
  std::uint64_t seed_;
};

}  // namespace weir::workload::detail
