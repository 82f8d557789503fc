#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

namespace weir::trace {

// What the calls made inside each function moved, at any depth: the bytes that an H5Dwrite came to. As in
// nesting.hpp, records stand in the order in which their calls ended, and pieces are joined in their order.
class BytesInside {
 public:
  static constexpr std::size_t kDeepest = 16;  // deeper calls are not followed

  struct Bytes {
    std::uint64_t read = 0;
    std::uint64_t written = 0;

    void add(const Bytes& other) {
      read += other.read;
      written += other.written;
    }
    bool any() const { return read != 0 || written != 0; }
  };

  void add(std::size_t function, std::uint32_t depth, const Bytes& moved);
  // `later` follows this piece.
  void join(BytesInside&& later);

  const std::map<std::size_t, Bytes>& functions() const { return functions_; }

 private:
  struct First {
    bool seen = false;
    std::uint32_t depth = 0;
    std::size_t function = 0;
  };

  std::map<std::size_t, Bytes> functions_;
  std::array<Bytes, kDeepest> waiting_;  // by depth: moved inside a call there that has not ended yet
  std::array<First, kDeepest> first_;    // by depth: the first record that is no deeper
  std::size_t waiting_to_ = 0;           // depths from here on have nothing waiting
};

}  // namespace weir::trace
