#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace weir {

// A number that knows what it counts: an Offset cannot be passed where Bytes are meant.
template <class Tag, class Rep>
struct Quantity {
  Rep count{};

  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep value) : count(value) {}

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator+(Quantity other) const {
    return Quantity(static_cast<Rep>(count + other.count));
  }
  constexpr Quantity operator-(Quantity other) const {
    return Quantity(static_cast<Rep>(count - other.count));
  }
  constexpr Quantity& operator+=(Quantity other) { return *this = *this + other; }
  constexpr Quantity& operator-=(Quantity other) { return *this = *this - other; }
};

using Bytes = Quantity<struct BytesTag, std::uint64_t>;   // a length
using Offset = Quantity<struct OffsetTag, std::int64_t>;  // a position in a file
using Rank = Quantity<struct RankTag, std::int32_t>;      // a process of a parallel program
using Nanoseconds = Quantity<struct NanosecondsTag, std::int64_t>;

constexpr Offset operator+(Offset at, Bytes length) {
  return Offset(at.count + static_cast<std::int64_t>(length.count));
}

// "512M", "4k", "1.5GiB", "0": powers of 1024, as storage people write them; "kB", "MB", ... are powers of
// 1000.
Result<Bytes> parse_bytes(std::string_view text);
// "90", "90s", "250ms", "1.5h", "2m".
Result<Nanoseconds> parse_duration(std::string_view text);

// For people, three significant digits: "1.50 GiB", "512 B".
std::string format_bytes(Bytes bytes);
std::string format_rate(Bytes bytes, Nanoseconds in);  // "1.25 GiB/s"
std::string format_duration(Nanoseconds duration);     // "3.20 ms", "2 min 05 s", "1 h 02 min"
std::string format_count(std::uint64_t count);         // "12 345 678"

}  // namespace weir
