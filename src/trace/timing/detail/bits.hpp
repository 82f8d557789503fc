#pragma once

#include <cstdint>

#include "base/bytes.hpp"

namespace weir::trace::detail {

// Fields of up to 32 bits one after the other, the lowest bit of each first.
class BitWriter {
 public:
  void put(std::uint32_t value, unsigned bits) {
    held_ |= std::uint64_t{value} << count_;
    for (count_ += bits; count_ >= 8; count_ -= 8) {
      out_.u8(static_cast<std::uint8_t>(held_));
      held_ >>= 8;
    }
  }
  // Fills the last byte with zeros and gives all of them.
  ByteSpan finish() {
    if (count_ > 0) put(0, 8 - count_);
    return out_.view();
  }

 private:
  std::uint64_t held_ = 0;
  unsigned count_ = 0;
  ByteWriter out_;
};

// Past the end it reads zeros; overrun() tells.
class BitReader {
 public:
  explicit BitReader(ByteSpan bytes) : bytes_(bytes) {}

  std::uint32_t get(unsigned bits) {
    while (count_ < bits) {
      if (at_ < bytes_.size())
        held_ |= std::to_integer<std::uint64_t>(bytes_[at_++]) << count_;
      else
        overrun_ = true;
      count_ += 8;
    }
    const auto value = static_cast<std::uint32_t>(held_ & ((std::uint64_t{1} << bits) - 1));
    held_ >>= bits;
    count_ -= bits;
    return value;
  }
  bool overrun() const { return overrun_; }

 private:
  ByteSpan bytes_;
  std::size_t at_ = 0;
  std::uint64_t held_ = 0;
  unsigned count_ = 0;
  bool overrun_ = false;
};

}  // namespace weir::trace::detail
