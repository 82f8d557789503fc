#include "burst/journal_records.hpp"

#include <cstring>

#include <fmt/format.h>

#include "base/checksum.hpp"

namespace weir::burst {
namespace {

constexpr std::uint64_t kMagic = 0x4c4e'524a'5249'4557;  // "WEIRJRNL"
constexpr std::uint32_t kMark = 0x4352'4a57;             // "WJRC"
constexpr std::uint32_t kBeginsCommit = 1;
constexpr std::uint32_t kEndsCommit = 2;
constexpr std::size_t kChecksumAt = 24;

std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

template <class T>
void put(std::span<std::byte> at, T value) {
  for (std::size_t i = 0; i < sizeof value; ++i) at[i] = static_cast<std::byte>(value >> (8 * i));
}

template <class T>
T get(ByteSpan at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i)
    value |= static_cast<T>(std::to_integer<T>(at[i]) << (8 * i));
  return value;
}

// Of the header without the checksum itself, and of the body.
std::uint64_t record_checksum(ByteSpan record, std::size_t length) {
  return checksum(record.subspan(kRecordHeader, length), checksum(record.first(kChecksumAt)));
}

}  // namespace

std::vector<std::byte> journal_header(std::uint64_t first_sequence) {
  std::vector<std::byte> header(kJournalHeader);
  const std::span<std::byte> bytes(header);
  put(bytes, kMagic);
  put(bytes.subspan(8), kJournalVersion);
  put(bytes.subspan(16), first_sequence);
  put(bytes.subspan(kChecksumAt), checksum(ByteSpan(header).first(kChecksumAt)));
  return header;
}

Result<std::uint64_t> read_journal_header(ByteSpan file) {
  if (file.size() < kJournalHeader || get<std::uint64_t>(file) != kMagic)
    return Error{Errc::bad_data, "not a journal of the burst file system"};
  if (checksum(file.first(kChecksumAt)) != get<std::uint64_t>(file.subspan(kChecksumAt)))
    return Error{Errc::bad_data, "the journal's header is damaged"};
  if (const auto version = get<std::uint32_t>(file.subspan(8)); version != kJournalVersion)
    return Error{Errc::unsupported,
                 fmt::format("a journal of version {}, this program reads {}", version, kJournalVersion)};
  return get<std::uint64_t>(file.subspan(16));
}

void add_record(std::vector<std::byte>& to, std::uint32_t type, std::uint64_t sequence, ByteSpan body,
                bool begins_commit) {
  const std::size_t begin = to.size();
  to.resize(begin + kRecordHeader + padded(body.size()));
  const std::span<std::byte> record = std::span(to).subspan(begin);
  put(record, kMark);
  put(record.subspan(4), type);
  put(record.subspan(8), sequence);
  put(record.subspan(16), static_cast<std::uint32_t>(body.size()));
  put(record.subspan(20), begins_commit ? kBeginsCommit : 0u);
  if (!body.empty()) std::memcpy(record.data() + kRecordHeader, body.data(), body.size());
  put(record.subspan(kChecksumAt), record_checksum(record, body.size()));
}

void end_commit(std::span<std::byte> record) {
  put(record.subspan(20), get<std::uint32_t>(record.subspan(20)) | kEndsCommit);
  put(record.subspan(kChecksumAt), record_checksum(record, get<std::uint32_t>(record.subspan(16))));
}

std::optional<JournalRecord> read_record(ByteSpan bytes) {
  if (bytes.size() < kRecordHeader || get<std::uint32_t>(bytes) != kMark) return std::nullopt;
  const auto length = get<std::uint32_t>(bytes.subspan(16));
  if (length > kLongestRecord || padded(length) > bytes.size() - kRecordHeader) return std::nullopt;
  if (record_checksum(bytes, length) != get<std::uint64_t>(bytes.subspan(kChecksumAt))) return std::nullopt;
  const auto flags = get<std::uint32_t>(bytes.subspan(20));
  return JournalRecord{.type = get<std::uint32_t>(bytes.subspan(4)),
                       .sequence = get<std::uint64_t>(bytes.subspan(8)),
                       .begins_commit = (flags & kBeginsCommit) != 0,
                       .ends_commit = (flags & kEndsCommit) != 0,
                       .body = bytes.subspan(kRecordHeader, length),
                       .size = kRecordHeader + padded(length)};
}

}  // namespace weir::burst
