#include "capture/text_table.hpp"

#include <cstring>

#include "base/checksum.hpp"

namespace weir::capture {
namespace {
constexpr std::uint32_t kMask = 2 * TextTable::kMostTexts - 1;
static_assert((kMask & (kMask + 1)) == 0);

std::uint64_t hash_of(std::string_view text) {
  return checksum({reinterpret_cast<const std::byte*>(text.data()), text.size()}) | 1;  // 0 is an empty slot
}
}  // namespace

std::uint32_t TextTable::slot_of(std::uint64_t hash) const {
  auto slot = static_cast<std::uint32_t>(hash >> 8) & kMask;
  while (storage_->hashes[slot] != 0 && storage_->hashes[slot] != hash) slot = (slot + 1) & kMask;
  return slot;
}

std::uint32_t TextTable::find(std::string_view text) const {
  const std::uint32_t slot = slot_of(hash_of(text));
  return storage_->hashes[slot] == 0 ? kNone : storage_->numbers[slot];
}

std::uint32_t TextTable::add(std::string_view text) {
  const std::uint64_t hash = hash_of(text);
  const std::uint32_t slot = slot_of(hash);
  storage_->hashes[slot] = hash;
  storage_->numbers[slot] = size_;
  return size_++;
}

void TextTable::clear() {
  if (size_ > 0) std::memset(storage_->hashes, 0, sizeof storage_->hashes);
  size_ = 0;
}

}  // namespace weir::capture
