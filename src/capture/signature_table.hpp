#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace weir::capture {

// The call signatures of one lane: arrays of words, numbered in the order they were added. Finding one is a
// comparison with the signature that followed last time, else one probe of a hash table. Lives in memory the
// lane gives it and never grows beyond: a full table is cleared by the lane.
class SignatureTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kMostSignatures = 32 * 1024;
  static constexpr std::size_t kMostWords = 256 * 1024;
  static constexpr std::size_t kLongest = 64;  // words of one signature

  // Memory for it, all zero.
  struct Storage {
    struct Entry {
      std::uint32_t first_word;
      std::uint32_t words;
      std::uint32_t followed_by;  // number + 1, 0 for not known
      std::uint32_t hash;
    };
    std::uint64_t words[kMostWords];
    Entry entries[kMostSignatures];
    std::uint32_t slots[4 * kMostSignatures];  // number + 1
    std::uint32_t pattern_hash[4 * kMostSignatures];
    std::uint16_t pattern_count[4 * kMostSignatures];
  };

  void use(Storage* storage) { storage_ = storage; }

  // The signature that followed `after` last time, if it is this one; else kNone.
  std::uint32_t guess(const std::uint64_t* words, std::size_t count, std::uint32_t after) const {
    if (after >= size_) [[unlikely]]
      return kNone;
    const std::uint32_t next = storage_->entries[after].followed_by;
    return next != 0 && equal(storage_->entries[next - 1], words, count) ? next - 1 : kNone;
  }
  // The number of the signature, or kNone.
  std::uint32_t find(const std::uint64_t* words, std::size_t count) const {
    return look_up(words, count, hash_of(words, count));
  }

  void followed(std::uint32_t before, std::uint32_t now) {
    if (before < size_) storage_->entries[before].followed_by = now + 1;
  }

  bool has_room(std::size_t words) const {
    return size_ < kMostSignatures && used_words_ + words <= kMostWords;
  }
  // Adds a signature that is not there; there must be room.
  std::uint32_t add(const std::uint64_t* words, std::size_t count);

  // Patterns are signatures with some words left out; how many signatures were made of one is counted. A
  // clash of hashes only counts too many.
  std::uint32_t pattern_of(const std::uint64_t* words, std::size_t count);
  std::uint16_t count_of(std::uint32_t pattern) const { return storage_->pattern_count[pattern]; }
  void one_more_of(std::uint32_t pattern) { ++storage_->pattern_count[pattern]; }

  std::uint32_t size() const { return size_; }
  std::size_t bytes_used() const;
  void clear();

 private:
  static bool equal(const Storage::Entry& entry, const std::uint64_t* stored, const std::uint64_t* words,
                    std::size_t count) {
    if (entry.words != count) return false;
    // Word by word: they were written a moment ago, and a wider load would wait for all of them.
    std::uint64_t difference = 0;
    for (std::size_t i = 0; i < count; ++i) {
      difference |= stored[i] ^ words[i];
      asm("" : "+r"(difference));
    }
    return difference == 0;
  }
  bool equal(const Storage::Entry& entry, const std::uint64_t* words, std::size_t count) const {
    return equal(entry, storage_->words + entry.first_word, words, count);
  }
  static std::uint64_t hash_of(const std::uint64_t* words, std::size_t count) {
    std::uint64_t hash = count * 0x9E3779B97F4A7C15U;
    for (std::size_t i = 0; i < count; ++i) {
      hash = (hash ^ words[i]) * 0xD6E8FEB86659FD93U;
      hash ^= hash >> 32;
    }
    return hash;
  }
  std::uint32_t look_up(const std::uint64_t* words, std::size_t count, std::uint64_t hash) const;

  Storage* storage_ = nullptr;
  std::uint32_t size_ = 0;
  std::size_t used_words_ = 0;
};

}  // namespace weir::capture
