#include "trace/detail/block.hpp"

#include <cstring>

#include <fmt/format.h>

#include "base/compress.hpp"
#include "trace/format.hpp"

namespace weir::trace::detail {
namespace {

// Of a handle: "pipe:[4711]" is the pipe with this inode.
std::string inode_mark(std::uint64_t inode) { return fmt::format("[{}]", inode); }

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string put_handle(std::string_view payload, OwnNumbers& numbers) {
  live::HandleDefinition about{};
  std::memcpy(&about, payload.data(), sizeof about);
  std::string_view name = payload.substr(sizeof about);
  numbers.add(about.descriptor);
  numbers.add(static_cast<std::int64_t>(about.device));
  numbers.add(static_cast<std::int64_t>(about.inode));
  const std::string mark = inode_mark(about.inode);
  const bool marked = name.ends_with(mark);
  if (marked) name.remove_suffix(mark.size());
  ByteWriter out;
  out.varint(about.id);
  out.varint(about.kind);
  out.varint(about.flags);
  out.signed_varint(about.position);
  out.u8(marked ? 1 : 0);
  out.bytes(as_bytes(name));
  return std::string(as_text(out.view()));
}

Result<std::string> take_handle(std::string_view stored, OwnNumbers& numbers) {
  const Error bad{Errc::bad_data, "a handle that is damaged"};
  ByteReader in(as_bytes(stored));
  live::HandleDefinition about{};
  for (std::uint32_t* const field : {&about.id, &about.kind, &about.flags}) {
    const auto value = in.varint();
    if (!value || *value > UINT32_MAX) return bad;
    *field = static_cast<std::uint32_t>(*value);
  }
  const auto position = in.signed_varint();
  const auto marked = in.u8();
  if (!position || !marked) return bad;
  about.position = *position;
  std::int64_t own[3];
  for (std::int64_t& number : own)
    if (!numbers.next(number)) return bad;
  about.descriptor = static_cast<std::int32_t>(own[0]);
  about.device = static_cast<std::uint64_t>(own[1]);
  about.inode = static_cast<std::uint64_t>(own[2]);
  std::string payload = bytes_of(about);
  payload += as_text(*in.bytes(in.remaining()));
  if (*marked != 0) payload += inode_mark(about.inode);
  return payload;
}

Result<std::string> take_payload(live::Definition type, std::string_view stored, OwnNumbers& numbers) {
  if (type == live::Definition::handle) return take_handle(stored, numbers);
  if (type == live::Definition::surprise) {
    std::int64_t descriptor = 0;
    if (!numbers.next(descriptor)) return Error{Errc::bad_data, "a surprise without its descriptor"};
    return bytes_of(static_cast<std::int32_t>(descriptor));
  }
  return std::string(stored);
}

}  // namespace

std::string OwnNumbers::packed() const {
  ByteWriter out;
  std::uint64_t before = 0;
  for (const std::int64_t number : list_) {
    out.signed_varint(static_cast<std::int64_t>(static_cast<std::uint64_t>(number) - before));
    before = static_cast<std::uint64_t>(number);
  }
  return std::string(as_text(out.view()));
}

Result<OwnNumbers> OwnNumbers::unpack(std::string_view packed) {
  OwnNumbers made;
  ByteReader in(as_bytes(packed));
  std::uint64_t before = 0;
  while (!in.at_end()) {
    const auto step = in.signed_varint();
    if (!step) return step.error();
    before += static_cast<std::uint64_t>(*step);
    made.add(static_cast<std::int64_t>(before));
  }
  return made;
}

void put_block(ByteWriter& out, std::uint64_t records, std::uint64_t first_record,
               std::span<const Event> events, ByteSpan columns, OwnNumbers& numbers) {
  out.varint(records);
  ByteWriter around;
  around.varint(events.size());
  std::uint64_t before = first_record;
  for (const Event& event : events) {
    around.u8(static_cast<std::uint8_t>(event.type));
    around.varint(event.before_record - before);
    before = event.before_record;
    if (event.type == live::Definition::handle) {
      around.string(put_handle(event.payload, numbers));
    } else if (event.type == live::Definition::surprise) {
      std::int32_t descriptor = 0;
      std::memcpy(&descriptor, event.payload.data(), sizeof descriptor);
      numbers.add(descriptor);
      around.string({});
    } else {
      around.string(event.payload);
    }
  }
  put_packed(out, around.view(), 9);
  out.bytes(columns);
}

Result<Block> take_block(ByteSpan bytes, std::uint64_t first_record, std::string_view numbers) {
  ByteReader in(bytes);
  Block block;
  auto own = OwnNumbers::unpack(numbers);
  if (!own) return own.error();
  block.numbers = std::move(*own);
  const auto records = in.varint();
  if (!records) return records.error();
  if (*records > kBlockRecords) return Error{Errc::bad_data, "a block of too many records"};
  block.records = *records;
  const auto around = take_packed(in, kMostStateBytes);
  if (!around) return around.error();
  ByteReader inner(*around);
  const auto events = inner.count(3);
  if (!events) return events.error();
  std::uint64_t at = first_record;
  for (std::uint64_t i = 0; i < *events; ++i) {
    const auto code = inner.u8();
    if (!code) return code.error();
    const auto type = static_cast<live::Definition>(*code);
    const auto step = inner.varint();
    if (!step) return step.error();
    at += *step;
    const auto stored = inner.string();
    if (!stored) return stored.error();
    auto payload = take_payload(type, *stored, block.numbers);
    if (!payload) return payload.error();
    block.events.push_back({type, at, std::move(*payload)});
  }
  block.columns = *in.bytes(in.remaining());
  return block;
}

}  // namespace weir::trace::detail
