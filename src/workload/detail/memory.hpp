#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "base/result.hpp"

namespace weir::workload::detail {

// Zeroed pages of its own, for buffers (aligned for any O_DIRECT, touched before the measured time) and for
// what workers share.
class Memory {
 public:
  enum class Kind { own, shared_with_children };

  Memory() = default;
  static Result<Memory> allocate(std::size_t size, Kind kind = Kind::own);
  Memory(Memory&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Memory& operator=(Memory&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(size_, other.size_);
    return *this;
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  std::byte* data() const { return begin_; }
  std::span<std::byte> span() const { return {begin_, size_}; }
  std::span<std::byte> part(std::size_t from, std::size_t length) const { return {begin_ + from, length}; }

 private:
  std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
};

// What a page boundary is for buffers.
inline constexpr std::size_t kAlignment = 4096;
constexpr std::size_t aligned_up(std::size_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace weir::workload::detail
