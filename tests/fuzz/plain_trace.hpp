#pragma once

// A trace without what keeps a fuzzer out: no checksums, no compression of tables. A sequence of sections,
// each a byte that says which, three bytes of length and the plain bytes. Made into the file that it stands
// for.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.hpp"
#include "base/checksum.hpp"
#include "base/compress.hpp"
#include "base/file.hpp"
#include "trace/detail/table_group.hpp"
#include "trace/format.hpp"

namespace weir::fuzz {

inline constexpr std::array kSections = {
    trace::Section::facts,     trace::Section::functions,  trace::Section::texts,
    trace::Section::names,     trace::Section::signatures, trace::Section::grammars,
    trace::Section::processes, trace::Section::block,      trace::Section::classes,
    trace::Section::state,     trace::Section::timing,     trace::Section::communicators};
// Sections that are none: what follows is of version 1; the tables that follow stand in a group.
inline constexpr std::uint8_t kFirstVersion = 255;
inline constexpr std::uint8_t kGrouped = 254;

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
  const bool grouped = !plain.empty() && plain[0] == std::byte{kGrouped};
  if (grouped) plain = plain.subspan(1);
  out.u32(first ? 1 : trace::detail::kGroupedVersion);
  out.u32(0);
  const auto put = [&](trace::Section section, ByteSpan payload) {
    out.u32(static_cast<std::uint32_t>(section));
    out.u32(0);
    out.u64(payload.size());
    out.u64(checksum(payload));
    out.bytes(payload);
  };
  // Tables as a group has them, by the numbers that the format gives them and some that it does not.
  ByteWriter tables;
  const auto put_group = [&] {
    if (tables.size() == 0) return;
    ByteWriter group;
    group.varint(tables.size());
    group.varint(0);
    group.bytes(tables.view());
    put(trace::detail::kCallTables, group.view());
    tables = ByteWriter();
  };
  while (plain.size() >= 4) {
    const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(plain[i]); };
    const trace::Section section = kSections[byte(0) % kSections.size()];
    const std::size_t length = std::min(byte(1) | byte(2) << 8 | byte(3) << 16, plain.size() - 4);
    std::vector<std::byte> payload(plain.begin() + 4,
                                   plain.begin() + 4 + static_cast<std::ptrdiff_t>(length));
    plain = plain.subspan(4 + length);
    if (is_packed(section)) payload = stored(payload);
    if (grouped && !trace::is_piece(section)) {
      constexpr std::array<std::uint8_t, kSections.size()> numbers = {0, 1,   2, 3,   4,   6,
                                                                      8, 200, 5, 200, 200, 7};
      tables.u8(numbers[static_cast<std::size_t>(std::find(kSections.begin(), kSections.end(), section) -
                                                 kSections.begin())]);
      tables.varint(payload.size());
      tables.bytes(payload);
      continue;
    }
    put_group();
    put(section, payload);
  }
  put_group();
  out.u64(out.size());
  out.u64(trace::kFooterMagic);
  return std::move(out).take();
}

// What a fuzzer gave, as a file to open: as it is if it claims to be a trace, else as the sections of one.
// Empty when it cannot be written.
inline std::string path_of(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> file(size);
  if (size > 0) std::memcpy(file.data(), data, size);
  const std::uint64_t magic = trace::kFileMagic;
  if (size < sizeof magic || std::memcmp(data, &magic, sizeof magic) != 0) file = file_of(file);
  static const int fd = memfd_create("trace", MFD_CLOEXEC);
  if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0 || !write_all(fd, file)) return {};
  return fmt::format("/proc/self/fd/{}", fd);
}

}  // namespace weir::fuzz
