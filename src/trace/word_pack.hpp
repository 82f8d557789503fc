#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"

namespace weir::trace {

// What the last word of a frame's header says of its bytes.
enum class FramePacking : std::uint64_t {
  zstd = 0,
  plain = 1,  // words as they are
  words = 2,  // see below
};

// Words without their upper zeros, four at a time: a byte with two bits for each, its length less one, then
// their bytes. It takes the time of a copy, and words that are counts of ticks or numbers of signatures are
// mostly short.
constexpr std::size_t most_packed_bytes(std::size_t words) { return 4 * words + words / 4 + 8; }

// How many bytes; `out` has room for most_packed_bytes().
inline std::size_t pack_words(std::span<const std::uint32_t> words, std::byte* out) {
  std::byte* at = out;
  for (std::size_t i = 0; i < words.size(); i += 4) {
    std::byte* const lengths = at++;
    unsigned all = 0;
    for (std::size_t k = i; k < i + 4 && k < words.size(); ++k) {
      const auto more = static_cast<unsigned>(31 - std::countl_zero(words[k] | 1U)) / 8;
      std::memcpy(at, &words[k], sizeof words[k]);  // little-endian; what is too much is overwritten
      at += more + 1;
      all |= more << (2 * (k - i));
    }
    *lengths = static_cast<std::byte>(all);
  }
  return static_cast<std::size_t>(at - out);
}

// Nothing when it is not `count` words.
inline std::optional<std::vector<std::uint32_t>> unpack_words(ByteSpan packed, std::size_t count) {
  if (packed.size() < count + (count + 3) / 4) return std::nullopt;
  std::vector<std::uint32_t> words(count);
  std::size_t at = 0;
  for (std::size_t i = 0; i < count; i += 4) {
    if (at >= packed.size()) return std::nullopt;
    const auto all = std::to_integer<unsigned>(packed[at++]);
    for (std::size_t k = i; k < i + 4 && k < count; ++k) {
      const std::size_t length = (all >> (2 * (k - i)) & 3) + 1;
      if (length > packed.size() - at) return std::nullopt;
      std::memcpy(&words[k], packed.data() + at, length);
      at += length;
    }
  }
  if (at != packed.size()) return std::nullopt;
  return words;
}

}  // namespace weir::trace
