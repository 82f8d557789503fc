#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "base/bytes.hpp"

namespace weir::trace::detail {

// The probability of a 1 as seen so far: the mean of a quick estimate, which follows bursts, and of a
// slow one, which starts as a plain average so that rare contexts learn from few bits.
class BitModel {
 public:
  // Of 2^16; never certain.
  std::uint32_t one() const {
    return std::clamp((std::uint32_t{quick_} + slow_) >> 1, kLeast, (1u << 16) - kLeast);
  }

  void update(unsigned bit) {
    adapt(quick_, bit, std::min(kQuickShift, seen_ + 1u));
    adapt(slow_, bit, std::min(kSlowShift, static_cast<unsigned>(std::bit_width(seen_ + 1u))));
    if (seen_ < 255) ++seen_;
  }

 private:
  static constexpr std::uint32_t kLeast = 24;
  static constexpr unsigned kQuickShift = 5;
  static constexpr unsigned kSlowShift = 8;

  static void adapt(std::uint16_t& estimate, unsigned bit, unsigned shift) {
    if (bit != 0)
      estimate = static_cast<std::uint16_t>(estimate + ((65535u - estimate) >> shift));
    else
      estimate = static_cast<std::uint16_t>(estimate - (estimate >> shift));
  }

  std::uint16_t quick_ = 1u << 15;
  std::uint16_t slow_ = 1u << 15;
  std::uint32_t seen_ = 0;
};

// Binary arithmetic coding with carry propagation (Martin 1979; the byte-wise form known from LZMA).
// Encoder and decoder have the same members, so that a codec is written once for both: bit() takes the bit
// to be coded and returns it; the decoder ignores what it is given and returns what it read.
class RangeEncoder {
 public:
  static constexpr bool kDecodes = false;

  unsigned bit(BitModel& model, unsigned bit) {
    const std::uint32_t bound = (range_ >> 16) * model.one();
    if (bit != 0) {
      range_ = bound;
    } else {
      low_ += bound;
      range_ -= bound;
    }
    model.update(bit);
    while (range_ < (1u << 24)) {
      range_ <<= 8;
      shift();
    }
    return bit;
  }
  // `count` bits, up to 64, that no model knows anything about.
  std::uint64_t raw(std::uint64_t value, unsigned count) {
    while (count > 0) {
      const unsigned now = std::min(count, 8u);
      count -= now;
      range_ >>= now;
      low_ += std::uint64_t{range_} * ((value >> count) & ((1u << now) - 1));
      while (range_ < (1u << 24)) {
        range_ <<= 8;
        shift();
      }
    }
    return value;
  }
  // Ends the code and gives its bytes.
  ByteSpan finish() {
    for (int i = 0; i < 5; ++i) shift();
    return out_.view();
  }

 private:
  void shift() {
    if (static_cast<std::uint32_t>(low_) < 0xff000000u || (low_ >> 32) != 0) {
      const auto carry = static_cast<std::uint8_t>(low_ >> 32);
      if (started_) out_.u8(static_cast<std::uint8_t>(cache_ + carry));
      for (; pending_ > 0; --pending_) out_.u8(static_cast<std::uint8_t>(0xff + carry));
      cache_ = static_cast<std::uint8_t>(low_ >> 24);
      started_ = true;
    } else {
      ++pending_;
    }
    low_ = (low_ & 0x00ffffffu) << 8;
  }

  std::uint64_t low_ = 0;
  std::uint32_t range_ = 0xffffffffu;
  std::uint8_t cache_ = 0;
  bool started_ = false;
  std::uint64_t pending_ = 0;
  ByteWriter out_;
};

// Reads any bytes without harm; past their end it reads zeros.
class RangeDecoder {
 public:
  static constexpr bool kDecodes = true;

  explicit RangeDecoder(ByteSpan bytes) : bytes_(bytes) {
    for (int i = 0; i < 4; ++i) code_ = (code_ << 8) | next();
  }

  unsigned bit(BitModel& model, unsigned /*ignored*/) {
    const std::uint32_t bound = (range_ >> 16) * model.one();
    unsigned bit = 0;
    if (code_ < bound) {
      range_ = bound;
      bit = 1;
    } else {
      code_ -= bound;
      range_ -= bound;
    }
    model.update(bit);
    while (range_ < (1u << 24)) {
      range_ <<= 8;
      code_ = (code_ << 8) | next();
    }
    return bit;
  }
  std::uint64_t raw(std::uint64_t /*ignored*/, unsigned count) {
    std::uint64_t value = 0;
    while (count > 0) {
      const unsigned now = std::min(count, 8u);
      count -= now;
      range_ >>= now;
      const std::uint32_t part = std::min(code_ / range_, (1u << now) - 1);
      code_ -= part * range_;
      value = (value << now) | part;
      while (range_ < (1u << 24)) {
        range_ <<= 8;
        code_ = (code_ << 8) | next();
      }
    }
    return value;
  }

 private:
  std::uint32_t next() { return at_ < bytes_.size() ? std::to_integer<std::uint32_t>(bytes_[at_++]) : 0; }

  ByteSpan bytes_;
  std::size_t at_ = 0;
  std::uint32_t range_ = 0xffffffffu;
  std::uint32_t code_ = 0;
};

// A number of kBits bits, most significant first, each bit in the context of those before it.
template <unsigned kBits>
class TreeModel {
 public:
  template <class Coder>
  unsigned code(Coder& coder, unsigned value) {
    unsigned node = 1;
    for (unsigned i = kBits; i-- > 0;) node = (node << 1) | coder.bit(models_[node], (value >> i) & 1);
    return node - (1u << kBits);
  }

 private:
  std::array<BitModel, 1u << kBits> models_;
};

}  // namespace weir::trace::detail
