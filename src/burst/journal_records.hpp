#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"

// The bytes of a journal, docs/formats/burst-journal.md.
namespace weir::burst {

inline constexpr std::uint32_t kJournalVersion = 1;
inline constexpr std::size_t kJournalHeader = 32;
inline constexpr std::size_t kRecordHeader = 32;
inline constexpr std::uint32_t kLongestRecord = std::uint32_t{1} << 30;

struct JournalRecord {
  std::uint32_t type = 0;
  std::uint64_t sequence = 0;
  bool begins_commit = false;
  bool ends_commit = false;
  ByteSpan body;
  std::size_t size = 0;  // with header and padding
};

std::vector<std::byte> journal_header(std::uint64_t first_sequence);
// The number of the first record, less one.
Result<std::uint64_t> read_journal_header(ByteSpan file);

void add_record(std::vector<std::byte>& to, std::uint32_t type, std::uint64_t sequence, ByteSpan body,
                bool begins_commit);
// Marks the record that begins at `record` as the last of its commit, which changes its checksum.
void end_commit(std::span<std::byte> record);
// The whole record at the front of `bytes`, if there is one.
std::optional<JournalRecord> read_record(ByteSpan bytes);

}  // namespace weir::burst
