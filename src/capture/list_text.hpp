#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "base/zigzag.hpp"
#include "trace/encoding.hpp"

namespace weir::capture {

// The text that stands for a list of values in a signature: docs/formats/trace.md, "Lists". A list that does
// not fit into the room it is given (Lane::list_room()) is not whole, and of no use.
class ListText {
 public:
  explicit ListText(std::span<char> room) : room_(room) {}

  void put_number(std::int64_t value) { put(trace::ListMark::number, zigzag(value)); }
  void put_relative(std::int64_t distance) { put(trace::ListMark::relative, zigzag(distance)); }
  void put_nothing() { put(trace::ListMark::nothing, 0); }
  // The next `count` items are a list themselves.
  void begin_list(std::uint64_t count) { put(trace::ListMark::nothing, count + 1); }
  void put_name(std::string_view name) {
    if (used_ + name.size() + kLongestNumber > room_.size()) whole_ = false;
    if (!whole_) return;
    put(trace::ListMark::name, name.size());
    std::memcpy(room_.data() + used_, name.data(), name.size());
    used_ += name.size();
  }

  bool is_whole() const { return whole_; }
  std::string_view text() const { return {room_.data(), used_}; }

 private:
  static constexpr std::size_t kLongestNumber = 10;

  void put(trace::ListMark mark, std::uint64_t rest) {
    if (used_ + kLongestNumber > room_.size()) whole_ = false;
    if (!whole_) return;
    std::uint64_t value = rest << 2 | static_cast<std::uint64_t>(mark);
    for (; value >= 0x80; value >>= 7) room_[used_++] = static_cast<char>(value | 0x80);
    room_[used_++] = static_cast<char>(value);
  }

  std::span<char> room_;
  std::size_t used_ = 0;
  bool whole_ = true;
};

}  // namespace weir::capture
