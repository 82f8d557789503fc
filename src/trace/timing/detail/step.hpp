#pragma once

#include <bit>
#include <cstdint>

#include "base/bytes.hpp"
#include "trace/timing/detail/wide.hpp"

namespace weir::trace::detail {

// A distance in time no finer than its tolerance asks for: nothing, or a multiple of a power of two.
struct Step {
  bool none = true;
  bool negative = false;
  unsigned shift = 0;  // up to 63
  std::uint64_t multiple = 0;

  // The start that lies this far from `from`.
  std::int64_t from(std::int64_t from) const {
    if (none) return from;
    const Wide distance = static_cast<Wide>(UnsignedWide{multiple} << shift);
    return clamp_start(negative ? from - distance : from + distance);
  }
};

// Nothing when `distance` is within the tolerance, else within half of it.
inline Step step_for(std::int64_t distance, std::uint64_t tolerance) {
  Step step;
  const std::uint64_t size = magnitude(distance);
  if (size <= tolerance) return step;
  step.none = false;
  step.negative = distance < 0;
  step.shift = tolerance == 0 ? 0 : static_cast<unsigned>(std::bit_width(tolerance)) - 1;
  step.multiple = (size + ((std::uint64_t{1} << step.shift) >> 1)) >> step.shift;
  return step;
}

// One that is not nothing: its shift with the sign below it, then the multiple.
inline void write_step(const Step& step, ByteWriter& out) {
  out.u8(static_cast<std::uint8_t>(step.shift << 1 | (step.negative ? 1u : 0u)));
  out.varint(step.multiple);
}

inline Result<Step> read_step(ByteReader& in) {
  const auto head = in.u8();
  if (!head) return head.error();
  const auto multiple = in.varint();
  if (!multiple) return multiple.error();
  if (*head >= 128) return Error{Errc::bad_data, "a step of more than 2^63 ns"};
  const unsigned bits = *head;
  return Step{.none = false, .negative = (bits & 1) != 0, .shift = bits >> 1, .multiple = *multiple};
}

}  // namespace weir::trace::detail
