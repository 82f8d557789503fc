#include "trace/detail/block.hpp"

#include "base/compress.hpp"
#include "trace/format.hpp"

namespace weir::trace::detail {
namespace {
constexpr std::uint64_t kMostStateBytes = std::uint64_t{1} << 28;
}

void put_block(ByteWriter& out, const BlockParts& parts) {
  out.varint(parts.first_record);
  out.varint(parts.records);
  ByteWriter around;
  around.varint(parts.state.size());
  around.bytes(parts.state);
  around.varint(parts.events.size());
  std::uint64_t before = parts.first_record;
  for (const Event& event : parts.events) {
    around.u8(static_cast<std::uint8_t>(event.type));
    around.varint(event.before_record - before);
    before = event.before_record;
    around.string(event.payload);
  }
  put_packed(out, around.view(), 9);
  out.varint(parts.columns.size());
  out.bytes(parts.columns);
  out.varint(parts.timing.size());
  out.bytes(parts.timing);
}

Result<Block> take_block(ByteSpan bytes) {
  ByteReader in(bytes);
  Block block;
  const auto first = in.varint();
  if (!first) return first.error();
  const auto records = in.varint();
  if (!records) return records.error();
  if (*records > kBlockRecords) return Error{Errc::bad_data, "a block of too many records"};
  block.first_record = *first;
  block.records = *records;
  const auto around = take_packed(in, kMostStateBytes);
  if (!around) return around.error();
  ByteReader inner(*around);
  const auto state_bytes = inner.varint();
  if (!state_bytes) return state_bytes.error();
  const auto state = inner.bytes(*state_bytes);
  if (!state) return state.error();
  block.state.assign(state->begin(), state->end());
  const auto events = inner.count(3);
  if (!events) return events.error();
  std::uint64_t at = block.first_record;
  for (std::uint64_t i = 0; i < *events; ++i) {
    const auto type = inner.u8();
    if (!type) return type.error();
    const auto step = inner.varint();
    if (!step) return step.error();
    at += *step;
    const auto payload = inner.string();
    if (!payload) return payload.error();
    block.events.push_back({static_cast<live::Definition>(*type), at, std::string(*payload)});
  }
  for (ByteSpan* const part : {&block.columns, &block.timing}) {
    const auto length = in.varint();
    if (!length) return length.error();
    const auto piece = in.bytes(*length);
    if (!piece) return piece.error();
    *part = *piece;
  }
  if (!in.at_end()) return Error{Errc::bad_data, "a block with bytes left over"};
  return block;
}

}  // namespace weir::trace::detail
