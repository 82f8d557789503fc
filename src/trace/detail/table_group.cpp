#include "trace/detail/table_group.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>
#include <zstd.h>

#include "base/check.hpp"
#include "base/compress.hpp"
#include "trace/detail/dictionary.hpp"

namespace weir::trace::detail {
namespace {

// How a group calls its tables; the numbers are part of the format.
constexpr std::array kTables = {Section::facts,    Section::functions,     Section::texts,
                                Section::names,    Section::signatures,    Section::classes,
                                Section::grammars, Section::communicators, Section::processes};

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

constexpr int kLevel =
    9;  // beyond it the dictionary alone takes ten milliseconds, for a twentieth of the bytes

// Empty when it does not get shorter.
std::vector<std::byte> pack(ByteSpan plain) {
  const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  if (!context) return {};
  const ByteSpan known = dictionary();
  std::vector<std::byte> packed(ZSTD_compressBound(plain.size()));
  const std::size_t size = ZSTD_compress_usingDict(context.get(), packed.data(), packed.size(), plain.data(),
                                                   plain.size(), known.data(), known.size(), kLevel);
  if (ZSTD_isError(size) != 0 || size >= plain.size()) return {};
  packed.resize(size);
  return packed;
}

Result<std::vector<std::byte>> unpack(ByteSpan frame, std::uint64_t size) {
  // Memory is taken only for what the frame itself says it holds.
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != size)
    return Error{Errc::bad_data, "packed tables are damaged: another length than stated"};
  const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  if (!context) return Error{Errc::internal, "no memory to unpack"};
  const ByteSpan known = dictionary();
  std::vector<std::byte> plain(size);
  const std::size_t got = ZSTD_decompress_usingDict(context.get(), plain.data(), plain.size(), frame.data(),
                                                    frame.size(), known.data(), known.size());
  if (ZSTD_isError(got) != 0)
    return Error{Errc::bad_data, fmt::format("packed tables are damaged: {}", ZSTD_getErrorName(got))};
  if (got != size) return Error{Errc::bad_data, "packed tables are damaged: too few bytes"};
  return plain;
}

}  // namespace

void TableGroup::add(Section table, ByteSpan payload) {
  // Packed alone it would not be packed again: it is stored, as put_packed() does what does not get shorter.
  ByteWriter stored;
  if (table != Section::facts) {
    ByteReader in(payload);
    const auto plain = take_packed(in, kMostTableBytes);
    WEIR_CHECK(plain && in.at_end(), "a table that was just packed");
    stored.varint(plain->size());
    if (!plain->empty()) {
      stored.varint(0);
      stored.bytes(*plain);
    }
    payload = stored.view();
  }
  const auto found = std::find(kTables.begin(), kTables.end(), table);
  plain_.u8(static_cast<std::uint8_t>(found - kTables.begin()));
  plain_.varint(payload.size());
  plain_.bytes(payload);
}

void TableGroup::put(ByteWriter& out) const {
  out.varint(plain_.size());
  const std::vector<std::byte> packed = pack(plain_.view());
  out.varint(packed.size());
  if (packed.empty())
    out.bytes(plain_.view());
  else
    out.bytes(packed);
}

Result<std::vector<std::byte>> take_group(ByteSpan payload) {
  ByteReader in(payload);
  const auto length = in.varint();
  if (!length) return length.error();
  if (*length > kMostTableBytes)
    return Error{Errc::bad_data,
                 fmt::format("{} bytes stated where {} are the most", *length, kMostTableBytes)};
  const auto packed = in.varint();
  if (!packed) return packed.error();
  const auto bytes = in.bytes(*packed == 0 ? *length : *packed);
  if (!bytes) return bytes.error();
  if (!in.at_end()) return Error{Errc::bad_data, "packed tables with bytes left over"};
  if (*packed == 0) return std::vector<std::byte>(bytes->begin(), bytes->end());
  return unpack(*bytes, *length);
}

Result<std::vector<GroupedTable>> tables_of_group(ByteSpan plain) {
  std::vector<GroupedTable> tables;
  ByteReader in(plain);
  while (!in.at_end()) {
    const auto code = in.u8();
    if (!code) return code.error();
    const auto length = in.varint();
    if (!length) return length.error();
    const auto payload = in.bytes(*length);
    if (!payload) return payload.error();
    if (*code < kTables.size()) tables.push_back({kTables[*code], *payload});
  }
  return tables;
}

}  // namespace weir::trace::detail
