#include "capture/allocations.hpp"

#include <new>

#include "capture/id_pool.hpp"

namespace weir::capture {

void* NodeMemory::take(std::size_t bytes) {
  if (free_ != nullptr) {
    Free* const node = free_;
    free_ = node->next;
    return node;
  }
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  if (left_ < bytes) {
    at_ = static_cast<std::byte*>(map_inherited(kChunk));
    if (at_ == nullptr) return nullptr;
    left_ = kChunk;
  }
  void* const node = at_;
  at_ += bytes;
  left_ -= bytes;
  return node;
}

void NodeMemory::give_back(void* node) { free_ = new (node) Free{free_}; }

void Allocations::add(const void* begin, std::size_t bytes, std::uint32_t id) {
  if (begin != nullptr) blocks_.insert_or_assign(reinterpret_cast<std::uintptr_t>(begin), Block{bytes, id});
}

std::uint32_t Allocations::remove(const void* begin, bool keep_id) {
  const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(begin));
  if (found == blocks_.end()) return kNone;
  const std::uint32_t id = found->second.id;
  blocks_.erase(found);
  if (!keep_id) free_id(id);
  return id;
}

void Allocations::free_id(std::uint32_t id) {
  if (id != kNone) free_number(ids_, id);
}

Allocations::Place Allocations::find(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  auto after = blocks_.upper_bound(at);
  if (after == blocks_.begin()) return {};
  auto& [begin, block] = *--after;
  if (at - begin > block.bytes) return {};
  if (block.id == kNone) block.id = take_lowest(ids_, kWords);
  return {block.id, at - begin};
}

}  // namespace weir::capture
