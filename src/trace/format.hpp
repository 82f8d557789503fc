#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir::trace {

// The file of a merged trace: a header, tables, blocks of records, a footer. docs/formats/trace.md describes
// every byte. Tables come first, so that a file that was cut short still tells what its blocks mean.
inline constexpr std::string_view kFileName = "trace.weir";
inline constexpr std::uint64_t kFileMagic = 0x0A43525452494557;    // "WEIRTRC\n"
inline constexpr std::uint64_t kFooterMagic = 0x0A444E4552494557;  // "WEIREND\n"
inline constexpr std::uint32_t kFormatVersion = 2;                 // version 1 is read too
inline constexpr std::size_t kFileHeaderBytes = 16;                // magic, version, zero
inline constexpr std::size_t kSectionHeaderBytes = 24;             // type, zero, length, checksum
inline constexpr std::size_t kFooterBytes = 16;                    // length of all before, magic

constexpr std::uint32_t section_name(const char (&name)[5]) {
  return static_cast<std::uint32_t>(name[0]) | static_cast<std::uint32_t>(name[1]) << 8 |
         static_cast<std::uint32_t>(name[2]) << 16 | static_cast<std::uint32_t>(name[3]) << 24;
}

enum class Section : std::uint32_t {
  facts = section_name("FACT"),  // JSON: how the trace was made
  functions = section_name("FUNC"),
  texts = section_name("TEXT"),
  names = section_name("NAME"),  // name templates
  signatures = section_name("SIGN"),
  classes = section_name("CLAS"),  // the signatures behind the numbers of a process
  grammars = section_name("GRAM"),
  communicators = section_name("COMM"),
  processes = section_name("PROC"),
  // Pieces of streams, behind all tables.
  block = section_name("BLOK"),   // columns and events
  state = section_name("STAT"),   // what came before a block, as far as it matters
  timing = section_name("TIME"),  // start times and durations of a block
};

constexpr bool is_piece(Section section) {
  return section == Section::block || section == Section::state || section == Section::timing;
}

inline constexpr std::uint64_t kMostTableBytes = std::uint64_t{1} << 32;  // of one table, unpacked
inline constexpr std::size_t kBlockRecords = 256 * 1024;

}  // namespace weir::trace
