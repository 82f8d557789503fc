#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <utility>

#include "capture/memory.hpp"

namespace weir::capture {

// Nodes of one size from mapped memory: whoever follows allocations cannot allocate.
class NodeMemory {
 public:
  void* take(std::size_t bytes);  // null when the system refuses
  void give_back(void* node);

 private:
  struct Free {
    Free* next;
  };
  Free* free_ = nullptr;
  std::byte* at_ = nullptr;
  std::size_t left_ = 0;
};

template <class T>
struct NodeAllocator {
  using value_type = T;
  explicit NodeAllocator(NodeMemory* from) : memory(from) {}
  template <class U>
  // NOLINTNEXTLINE(google-explicit-constructor): as allocators do
  NodeAllocator(const NodeAllocator<U>& other) : memory(other.memory) {}
  T* allocate(std::size_t count) {
    void* const node = count == 1 ? memory->take(sizeof(T)) : nullptr;
    if (node == nullptr) std::abort();  // a map's only demand is single nodes, and those come by the megabyte
    return static_cast<T*>(node);
  }
  void deallocate(T* node, std::size_t /*one*/) { memory->give_back(node); }
  bool operator==(const NodeAllocator& other) const { return memory == other.memory; }

  NodeMemory* memory;
};

// Which allocation an address lies in. An allocation gets a number when it is first asked for: the lowest
// that is free, so that a loop which allocates, writes and frees has the same number each time. Not for
// threads.
class Allocations {
 public:
  static constexpr std::uint32_t kNone = ~0U;

  struct Place {
    std::uint32_t id = kNone;
    std::uint64_t displacement = 0;
    bool known() const { return id != kNone; }
  };

  Allocations() = default;
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;

  // `id`: of the allocation that it continues (realloc).
  void add(const void* begin, std::size_t bytes, std::uint32_t id = kNone);
  // The number it had, which is free again unless it is kept.
  std::uint32_t remove(const void* begin, bool keep_id = false);
  void free_id(std::uint32_t id);
  // One past the end belongs to an allocation too: of no bytes, or of a buffer that is full.
  Place find(const void* address);

 private:
  static constexpr std::uint32_t kWords = 1024;
  struct Block {
    std::uint64_t bytes = 0;
    std::uint32_t id = kNone;
  };
  using Entry = std::pair<const std::uintptr_t, Block>;

  NodeMemory memory_;
  std::map<std::uintptr_t, Block, std::less<>, NodeAllocator<Entry>> blocks_{NodeAllocator<Entry>(&memory_)};
  std::uint64_t ids_[kWords] = {};
};

}  // namespace weir::capture
