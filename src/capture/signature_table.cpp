#include "capture/signature_table.hpp"

namespace weir::capture {
namespace {
constexpr std::uint32_t kMask = 4 * SignatureTable::kMostSignatures - 1;
static_assert((kMask & (kMask + 1)) == 0);
}  // namespace

std::uint32_t SignatureTable::look_up(const std::uint64_t* words, std::size_t count,
                                      std::uint64_t hash) const {
  const auto short_hash = static_cast<std::uint32_t>(hash >> 32);
  for (auto slot = static_cast<std::uint32_t>(hash) & kMask;; slot = (slot + 1) & kMask) {
    const std::uint32_t number = storage_->slots[slot];
    if (number == 0) return kNone;
    const Storage::Entry& entry = storage_->entries[number - 1];
    if (entry.hash == short_hash && equal(entry, words, count)) return number - 1;
  }
}

std::uint32_t SignatureTable::add(const std::uint64_t* words, std::size_t count) {
  const std::uint64_t hash = hash_of(words, count);
  auto slot = static_cast<std::uint32_t>(hash) & kMask;
  while (storage_->slots[slot] != 0) slot = (slot + 1) & kMask;
  std::memcpy(storage_->words + used_words_, words, count * sizeof *words);
  storage_->entries[size_] = {static_cast<std::uint32_t>(used_words_), static_cast<std::uint32_t>(count), 0,
                              static_cast<std::uint32_t>(hash >> 32)};
  used_words_ += count;
  storage_->slots[slot] = ++size_;
  return size_ - 1;
}

std::uint32_t SignatureTable::pattern_of(const std::uint64_t* words, std::size_t count) {
  const std::uint64_t hash = hash_of(words, count);
  const auto name = static_cast<std::uint32_t>(hash >> 32) | 1;
  auto slot = static_cast<std::uint32_t>(hash) & kMask;
  // A pattern without a signature may be overwritten, so there are never more than twice as many as those.
  while (storage_->pattern_count[slot] != 0 && storage_->pattern_hash[slot] != name)
    slot = (slot + 1) & kMask;
  storage_->pattern_hash[slot] = name;
  return slot;
}

std::size_t SignatureTable::bytes_used() const {
  return used_words_ * sizeof(std::uint64_t) + size_ * (sizeof(Storage::Entry) + 4 * sizeof(std::uint32_t));
}

void SignatureTable::clear() {
  std::memset(storage_->slots, 0, sizeof storage_->slots);
  std::memset(storage_->pattern_hash, 0, sizeof storage_->pattern_hash);
  std::memset(storage_->pattern_count, 0, sizeof storage_->pattern_count);
  size_ = 0;
  used_words_ = 0;
}

}  // namespace weir::capture
