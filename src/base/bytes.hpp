#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weir {

using ByteSpan = std::span<const std::byte>;

ByteSpan as_bytes(std::string_view text);
std::string_view as_text(ByteSpan bytes);

// Appends little-endian numbers, varints (LEB128) and length-prefixed strings to a buffer it owns.
class ByteWriter {
 public:
  void u8(std::uint8_t value) { buffer_.push_back(static_cast<std::byte>(value)); }
  void u16(std::uint16_t value) { fixed(value); }
  void u32(std::uint32_t value) { fixed(value); }
  void u64(std::uint64_t value) { fixed(value); }
  void f64(double value);
  void varint(std::uint64_t value);
  void signed_varint(std::int64_t value);  // zigzag: small magnitudes stay short
  void bytes(ByteSpan bytes) { buffer_.insert(buffer_.end(), bytes.begin(), bytes.end()); }
  void string(std::string_view text);  // varint length, then the bytes

  std::size_t size() const { return buffer_.size(); }
  ByteSpan view() const { return buffer_; }
  std::vector<std::byte> take() && { return std::move(buffer_); }

 private:
  template <class T>
  void fixed(T value) {
    for (std::size_t i = 0; i < sizeof value; ++i) u8(static_cast<std::uint8_t>(value >> (8 * i)));
  }

  std::vector<std::byte> buffer_;
};

// Reads what ByteWriter wrote from bytes that may be damaged: every length is checked against what is
// there before anything is touched or allocated. Errors say where; position() stays at the bad field.
class ByteReader {
 public:
  explicit ByteReader(ByteSpan bytes) : bytes_(bytes) {}

  Result<std::uint8_t> u8() { return fixed<std::uint8_t>(); }
  Result<std::uint16_t> u16() { return fixed<std::uint16_t>(); }
  Result<std::uint32_t> u32() { return fixed<std::uint32_t>(); }
  Result<std::uint64_t> u64() { return fixed<std::uint64_t>(); }
  Result<double> f64();
  Result<std::uint64_t> varint();
  Result<std::int64_t> signed_varint();
  Result<ByteSpan> bytes(std::uint64_t length);  // a view into the input
  Result<std::string_view> string(std::uint64_t longest = ~std::uint64_t{0});
  // A varint that counts items of at least `bytes_each` bytes, so that it cannot exceed what follows:
  // safe to reserve memory for.
  Result<std::uint64_t> count(std::uint64_t bytes_each);

  std::size_t position() const { return position_; }
  std::size_t remaining() const { return bytes_.size() - position_; }
  bool at_end() const { return remaining() == 0; }

 private:
  Error short_of(std::uint64_t wanted) const;
  template <class T>
  Result<T> fixed() {
    if (remaining() < sizeof(T)) return short_of(sizeof(T));
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value = static_cast<T>(value | static_cast<T>(std::to_integer<T>(bytes_[position_ + i]) << (8 * i)));
    position_ += sizeof(T);
    return value;
  }

  ByteSpan bytes_;
  std::size_t position_ = 0;
};

}  // namespace weir
