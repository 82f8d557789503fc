#pragma once

// A trace without what keeps a fuzzer out: no checksums, no compression of tables. A sequence of sections,
// each a byte that says which, three bytes of length and the plain bytes. Made into the file that it stands
// for.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/checksum.hpp"
#include "base/compress.hpp"
#include "trace/format.hpp"

namespace weir::fuzz {

inline constexpr std::array kSections = {
    trace::Section::facts,     trace::Section::functions,  trace::Section::texts,
    trace::Section::names,     trace::Section::signatures, trace::Section::grammars,
    trace::Section::processes, trace::Section::block,      trace::Section::classes,
    trace::Section::state,     trace::Section::timing,     trace::Section::communicators};
// A section that is none: what follows is of version 1.
inline constexpr std::uint8_t kFirstVersion = 255;

inline bool is_packed(trace::Section section) {
  return section != trace::Section::facts && section != trace::Section::block &&
         section != trace::Section::timing;
}

// As put_packed() writes what does not get shorter.
inline std::vector<std::byte> stored(ByteSpan bytes) {
  ByteWriter out;
  out.varint(bytes.size());
  if (!bytes.empty()) {
    out.varint(0);
    out.bytes(bytes);
  }
  return std::move(out).take();
}

inline std::vector<std::byte> file_of(ByteSpan plain) {
  ByteWriter out;
  out.u64(trace::kFileMagic);
  const bool first = !plain.empty() && plain[0] == std::byte{kFirstVersion};
  if (first) plain = plain.subspan(1);
  out.u32(first ? 1 : trace::kFormatVersion);
  out.u32(0);
  while (plain.size() >= 4) {
    const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(plain[i]); };
    const trace::Section section = kSections[byte(0) % kSections.size()];
    const std::size_t length = std::min(byte(1) | byte(2) << 8 | byte(3) << 16, plain.size() - 4);
    std::vector<std::byte> payload(plain.begin() + 4,
                                   plain.begin() + 4 + static_cast<std::ptrdiff_t>(length));
    plain = plain.subspan(4 + length);
    if (is_packed(section)) payload = stored(payload);
    out.u32(static_cast<std::uint32_t>(section));
    out.u32(0);
    out.u64(payload.size());
    out.u64(checksum(payload));
    out.bytes(payload);
  }
  out.u64(out.size());
  out.u64(trace::kFooterMagic);
  return std::move(out).take();
}

}  // namespace weir::fuzz
