#pragma once

#include <cstddef>
#include <type_traits>

#include "capture/memory.hpp"

namespace weir::capture {

// Room for so many items, in the object itself when they are few. Nothing is initialised: one is made for
// every call.
template <class T, std::size_t Few>
class Scratch {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Scratch() {}  // NOLINT(modernize-use-equals-default): leaves the room as it is
  ~Scratch() {
    if (mapped_ != nullptr) unmap_memory(mapped_, bytes_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // Null when there is no memory.
  T* make(std::size_t count) {
    if (count <= Few) return reinterpret_cast<T*>(few_);
    bytes_ = count * sizeof(T);
    mapped_ = static_cast<T*>(map_inherited(bytes_));
    return mapped_;
  }

 private:
  alignas(T) std::byte few_[Few * sizeof(T)];
  T* mapped_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace weir::capture
