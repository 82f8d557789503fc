#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/zigzag.hpp"
#include "trace/encoding.hpp"

namespace weir::capture {

// The text that stands for a list of values in a signature: docs/formats/trace.md, "Lists". A list that does
// not fit is not whole, and of no use.
class ListText {
 public:
  static constexpr std::size_t kRoom = 16 * 1024;

  void put_number(std::int64_t value) { put(trace::ListMark::number, zigzag(value)); }
  void put_relative(std::int64_t distance) { put(trace::ListMark::relative, zigzag(distance)); }
  void put_nothing() { put(trace::ListMark::nothing, 0); }
  void put_name(std::string_view name) {
    if (used_ + name.size() + kLongestNumber > kRoom) whole_ = false;
    if (!whole_) return;
    put(trace::ListMark::name, name.size());
    std::memcpy(bytes_ + used_, name.data(), name.size());
    used_ += name.size();
  }

  bool is_whole() const { return whole_; }
  std::string_view text() const { return {bytes_, used_}; }

 private:
  static constexpr std::size_t kLongestNumber = 10;

  void put(trace::ListMark mark, std::uint64_t rest) {
    if (used_ + kLongestNumber > kRoom) whole_ = false;
    if (!whole_) return;
    std::uint64_t value = rest << 2 | static_cast<std::uint64_t>(mark);
    for (; value >= 0x80; value >>= 7) bytes_[used_++] = static_cast<char>(value | 0x80);
    bytes_[used_++] = static_cast<char>(value);
  }

  std::size_t used_ = 0;
  bool whole_ = true;
  char bytes_[kRoom];
};

}  // namespace weir::capture
