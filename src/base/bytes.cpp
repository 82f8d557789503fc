#include "base/bytes.hpp"

#include <bit>

#include <fmt/format.h>

#include "base/zigzag.hpp"

namespace weir {
namespace {

constexpr std::size_t kLongestVarint = 10;  // 64 bits, seven to a byte

}  // namespace

ByteSpan as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string_view as_text(ByteSpan bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void ByteWriter::f64(double value) { u64(std::bit_cast<std::uint64_t>(value)); }

void ByteWriter::varint(std::uint64_t value) {
  while (value >= 0x80) {
    u8(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  u8(static_cast<std::uint8_t>(value));
}

void ByteWriter::signed_varint(std::int64_t value) { varint(zigzag(value)); }

void ByteWriter::string(std::string_view text) {
  varint(text.size());
  bytes(as_bytes(text));
}

Error ByteReader::short_of(std::uint64_t wanted) const {
  return {Errc::bad_data,
          fmt::format("truncated at byte {}: {} more wanted, {} left", position_, wanted, remaining())};
}

Result<double> ByteReader::f64() {
  return u64().transform([](std::uint64_t bits) { return std::bit_cast<double>(bits); });
}

Result<std::uint64_t> ByteReader::varint() {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < kLongestVarint; ++i) {
    if (i >= remaining()) return short_of(i + 1);
    const auto byte = std::to_integer<std::uint64_t>(bytes_[position_ + i]);
    const std::uint64_t bits = byte & 0x7f;
    if (i + 1 == kLongestVarint && byte > 1) break;
    value |= bits << (7 * i);
    if ((byte & 0x80) == 0) {
      position_ += i + 1;
      return value;
    }
  }
  return Error{Errc::bad_data, fmt::format("no varint at byte {}: more than 64 bits", position_)};
}

Result<std::int64_t> ByteReader::signed_varint() { return varint().transform(unzigzag); }

Result<ByteSpan> ByteReader::bytes(std::uint64_t length) {
  if (length > remaining()) return short_of(length);
  const ByteSpan found = bytes_.subspan(position_, static_cast<std::size_t>(length));
  position_ += found.size();
  return found;
}

Result<std::string_view> ByteReader::string(std::uint64_t longest) {
  const std::size_t start = position_;
  const auto length = varint();
  if (!length) return length.error();
  if (*length > longest) {
    position_ = start;
    return Error{Errc::too_big,
                 fmt::format("string of {} bytes at byte {}, at most {} allowed", *length, start, longest)};
  }
  auto text = bytes(*length);
  if (!text) {
    const Error error = text.error();
    position_ = start;
    return error;
  }
  return as_text(*text);
}

Result<std::uint64_t> ByteReader::count(std::uint64_t bytes_each) {
  const std::size_t start = position_;
  const auto items = varint();
  if (!items) return items.error();
  if (*items > remaining() / (bytes_each == 0 ? 1 : bytes_each)) {
    position_ = start;
    return Error{Errc::bad_data, fmt::format("{} items at byte {} cannot fit into the {} bytes that follow",
                                             *items, start, remaining())};
  }
  return *items;
}

}  // namespace weir
