// Feeds arbitrary bytes to the reader of journals: once as they are, and once behind a valid header, where
// records that were made from the input are mixed with pieces of it. What is replayed must lie within the
// input, and the counts must agree with it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "burst/journal.hpp"
#include "burst/journal_records.hpp"

namespace {

using weir::ByteSpan;

void read(ByteSpan file) {
  std::uint64_t replayed = 0;
  const auto found = weir::burst::salvage_journal(file, [&](std::uint32_t, ByteSpan body) {
    ++replayed;
    if (body.size() > file.size()) __builtin_trap();
    if (!body.empty() && (body.data() < file.data() || body.data() + body.size() > file.data() + file.size()))
      __builtin_trap();
  });
  if (!found) return;
  if (found->records != replayed || found->end > file.size() || found->cut_bytes != file.size() - found->end)
    __builtin_trap();
  if (found->damaged_bytes > file.size()) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan input = std::as_bytes(std::span(data, size));
  read(input);

  std::vector<std::byte> file = weir::burst::journal_header(0);
  std::uint64_t sequence = 0;
  for (std::size_t at = 0; at + 2 <= size;) {
    const std::uint8_t what = data[at];
    const std::size_t length = std::min<std::size_t>(data[at + 1], size - at - 2);
    const ByteSpan piece = input.subspan(at + 2, length);
    if (what % 4 != 0) {
      const std::size_t begin = file.size();
      sequence += what % 16 == 1 ? 2 : 1;
      weir::burst::add_record(file, what, sequence, piece, (what & 0x20u) != 0);
      if ((what & 0x40u) != 0) weir::burst::end_commit(std::span(file).subspan(begin));
      if ((what & 0x80u) != 0 && !piece.empty()) file.resize(file.size() - 1);
    } else {
      file.insert(file.end(), piece.begin(), piece.end());
    }
    at += 2 + length;
  }
  read(file);
  return 0;
}
