#define ZSTD_STATIC_LINKING_ONLY  // ZSTD_initStaticCCtx and the parameters for its size
#include "trace/timing/lossless.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <zstd.h>

#include "trace/timing/mode.hpp"

namespace weir::trace {

namespace {

enum PlaneKind : std::uint8_t { kConstant = 0, kStored = 1, kZstd = 2 };

constexpr std::size_t kWidest = 8;
// Longer values than the column's width are listed apart; a wider column is chosen when they are more than 1
// in 256.
constexpr std::size_t kExceptionShare = 256;
constexpr std::size_t kVarintBytes = 10;

// The values in the planes are noise with little to repeat: what compresses is the uneven use of bytes. A
// small table of long matches keeps loops that do repeat, and Huffman codes do the rest.
ZSTD_compressionParameters zstd_parameters(std::size_t max_records) {
  const auto log = static_cast<unsigned>(std::bit_width(std::max<std::size_t>(max_records, 1024) - 1));
  return {.windowLog = std::min(log, 20u),
          .chainLog = 10,  // not used by ZSTD_fast
          .hashLog = 12,
          .searchLog = 1,
          .minMatch = 7,
          .targetLength = 8,
          .strategy = ZSTD_fast};
}

std::size_t zstd_bytes(std::size_t max_records) {
  // A multiple of 8, so that what follows is aligned.
  return (ZSTD_estimateCCtxSize_usingCParams(zstd_parameters(max_records)) + 64) / 8 * 8;
}

constexpr std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (std::uint64_t{0} - (difference >> 63));
}
constexpr std::uint64_t unzigzag(std::uint64_t value) {
  return (value >> 1) ^ (std::uint64_t{0} - (value & 1));
}

// What stands in a plane for a value of the list of exceptions; also the smallest of those.
constexpr std::uint64_t escape_of(std::size_t width) {
  return width == kWidest ? std::numeric_limits<std::uint64_t>::max() : (std::uint64_t{1} << (8 * width)) - 1;
}

struct Width {
  std::size_t bytes;
  std::size_t exceptions;
};

// How many values are not below an escape, for columns of 1, 2 and 3 bytes in one pass; values below 2^63.
// Subtraction and shift, because SSE2 has no comparison of 64 bits.
std::array<std::size_t, 3> count_long(std::span<const std::uint64_t> values) {
  std::array<std::uint64_t, 3> below{};
  for (const std::uint64_t value : values) {
    below[0] += (value - escape_of(1)) >> 63;
    below[1] += (value - escape_of(2)) >> 63;
    below[2] += (value - escape_of(3)) >> 63;
  }
  return {values.size() - below[0], values.size() - below[1], values.size() - below[2]};
}

std::size_t count_long(std::span<const std::uint64_t> values, std::uint64_t escape) {
  std::size_t count = 0;
  for (const std::uint64_t value : values) count += value >= escape ? 1 : 0;
  return count;
}

// The narrowest column with few exceptions. `all` has the bits of all values.
Width choose_width(std::span<const std::uint64_t> values, std::uint64_t all) {
  const std::size_t few = values.size() / kExceptionShare;
  std::size_t from = 1;
  if (all >> 63 == 0) {
    const auto counts = count_long(values);
    for (; from <= counts.size(); ++from)
      if (counts[from - 1] <= few) return {.bytes = from, .exceptions = counts[from - 1]};
  }
  for (std::size_t bytes = from; bytes < kWidest; ++bytes) {
    const std::size_t exceptions = all < escape_of(bytes) ? 0 : count_long(values, escape_of(bytes));
    if (exceptions <= few) return {.bytes = bytes, .exceptions = exceptions};
  }
  return {.bytes = kWidest, .exceptions = 0};
}

// Free functions over restricted pointers, so that the compiler knows the arrays apart and uses vectors.
void split_plane(const std::uint64_t* __restrict values, std::byte* __restrict plane, std::size_t records,
                 unsigned shift) {
  for (std::size_t i = 0; i < records; ++i) plane[i] = static_cast<std::byte>(values[i] >> shift);
}

// Gives the bits of all values.
std::uint64_t put_gaps(const std::int64_t* __restrict start, const std::uint64_t* __restrict duration,
                       std::uint64_t* __restrict values, std::size_t records) {
  std::uint64_t all = 0;
  values[0] = 0;
  for (std::size_t i = 1; i < records; ++i) {
    values[i] = zigzag(static_cast<std::uint64_t>(start[i]) - static_cast<std::uint64_t>(start[i - 1]) -
                       duration[i - 1]);
    all |= values[i];
  }
  return all;
}

std::uint64_t copy_values(const std::uint64_t* __restrict from, std::uint64_t* __restrict values,
                          std::size_t records) {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < records; ++i) {
    values[i] = from[i];
    all |= from[i];
  }
  return all;
}

}  // namespace

class LosslessEncoder::Output {
 public:
  explicit Output(std::span<std::byte> bytes) : bytes_(bytes) {}
  void u8(std::uint8_t value) { bytes_[size_++] = static_cast<std::byte>(value); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) u8(static_cast<std::uint8_t>(value | 0x80));
    u8(static_cast<std::uint8_t>(value));
  }
  void bytes(const std::byte* from, std::size_t length) {
    std::memcpy(bytes_.data() + size_, from, length);
    size_ += length;
  }
  std::span<std::byte> rest() const { return bytes_.subspan(size_); }
  void skip(std::size_t length) { size_ += length; }
  std::size_t size() const { return size_; }

 private:
  std::span<std::byte> bytes_;
  std::size_t size_ = 0;
};

std::size_t LosslessEncoder::workspace_bytes(std::size_t max_records) {
  return zstd_bytes(max_records) + max_records * 8 + max_records;
}

std::size_t LosslessEncoder::bound(std::size_t records) {
  // Mode and first start; per column its head and 8 stored planes. Exceptions are at most 1 in 256, and a
  // column that has them lacks a plane; the kind and length of a zstd plane count as one of a stored plane.
  return 1 + kVarintBytes + 2 * (1 + kVarintBytes + kWidest * (1 + kVarintBytes + records));
}

LosslessEncoder::LosslessEncoder(std::span<std::byte> workspace, std::size_t max_records) {
  if (workspace.size() < workspace_bytes(max_records)) return;
  const std::size_t for_zstd = zstd_bytes(max_records);
  zstd_ = ZSTD_initStaticCCtx(workspace.data(), for_zstd);
  if (zstd_ == nullptr) return;
  const ZSTD_compressionParameters parameters = zstd_parameters(max_records);
  const auto set = [this](ZSTD_cParameter parameter, unsigned value) {
    (void)ZSTD_CCtx_setParameter(zstd_, parameter,
                                 static_cast<int>(value));  // a refused one costs bytes only
  };
  set(ZSTD_c_windowLog, parameters.windowLog);
  set(ZSTD_c_chainLog, parameters.chainLog);
  set(ZSTD_c_hashLog, parameters.hashLog);
  set(ZSTD_c_searchLog, parameters.searchLog);
  set(ZSTD_c_minMatch, parameters.minMatch);
  set(ZSTD_c_targetLength, parameters.targetLength);
  set(ZSTD_c_strategy, static_cast<unsigned>(parameters.strategy));
  set(ZSTD_c_contentSizeFlag, 1);
  set(ZSTD_c_literalCompressionMode, ZSTD_ps_enable);  // left out by default with a targetLength
  values_ = reinterpret_cast<std::uint64_t*>(workspace.data() + for_zstd);
  plane_ = workspace.data() + for_zstd + max_records * 8;
  max_records_ = max_records;
}

std::size_t LosslessEncoder::encode(std::span<const std::int64_t> start,
                                    std::span<const std::uint64_t> duration, std::span<std::byte> out) {
  const std::size_t records = start.size();
  if (duration.size() != records || records > max_records_ || out.size() < bound(records)) return 0;
  Output output(out);
  output.u8(static_cast<std::uint8_t>(TimingMode::lossless));
  if (records == 0) return output.size();
  output.varint(zigzag(static_cast<std::uint64_t>(start[0])));
  put_column(output, records, put_gaps(start.data(), duration.data(), values_, records));
  put_column(output, records, copy_values(duration.data(), values_, records));
  return output.size();
}

// The column in values_, which it changes; `all` has the bits of all values.
void LosslessEncoder::put_column(Output& out, std::size_t records, std::uint64_t all) {
  const auto [width, exceptions] = choose_width({values_, records}, all);
  const std::uint64_t escape = escape_of(width);
  out.u8(static_cast<std::uint8_t>(width));
  out.varint(exceptions);
  std::size_t left = exceptions;
  for (std::size_t i = 0; left > 0; ++i) {
    if (values_[i] < escape) continue;
    out.varint(values_[i] - escape);
    values_[i] = escape;
    --left;
  }
  for (std::size_t byte = 0; byte < width; ++byte) {
    split_plane(values_, plane_, records, static_cast<unsigned>(8 * byte));
    put_plane(out, records);
  }
}

void LosslessEncoder::put_plane(Output& out, std::size_t records) {
  if (std::memcmp(plane_, plane_ + 1, records - 1) == 0) {
    out.u8(kConstant);
    out.bytes(plane_, 1);
    return;
  }
  const std::size_t head = 1 + kVarintBytes;  // room for the kind and the length, which comes afterwards
  const std::span<std::byte> room = out.rest().subspan(head);
  const std::size_t size =
      ZSTD_compress2(zstd_, room.data(), std::min(room.size(), records), plane_, records);
  if (ZSTD_isError(size) != 0) {  // it would not be shorter
    out.u8(kStored);
    out.bytes(plane_, records);
    return;
  }
  out.u8(kZstd);
  out.varint(size);
  std::memmove(out.rest().data(), room.data(), size);
  out.skip(size);
}

namespace {

Error damaged(std::string_view what) { return Error{Errc::bad_data, std::string(what)}; }

class ColumnReader {
 public:
  ColumnReader() : zstd_(ZSTD_createDCtx()) {}
  ~ColumnReader() { ZSTD_freeDCtx(zstd_); }
  ColumnReader(const ColumnReader&) = delete;
  ColumnReader& operator=(const ColumnReader&) = delete;

  Result<void> read(ByteReader& in, std::span<std::uint64_t> values) {
    const auto width = in.u8();
    if (!width) return width.error();
    if (*width < 1 || *width > kWidest) return damaged(fmt::format("a column of {} bytes", *width));
    const auto count = in.count(1);
    if (!count) return count.error();
    if (*count > values.size()) return damaged("more exceptions than records");
    std::vector<std::uint64_t> exceptions;
    exceptions.reserve(*count);
    for (std::uint64_t i = 0; i < *count; ++i) {
      const auto above = in.varint();
      if (!above) return above.error();
      exceptions.push_back(*above + escape_of(*width));
    }
    for (std::size_t byte = 0; byte < *width; ++byte)
      if (auto done = read_plane(in, values, byte); !done) return done;
    if (exceptions.empty()) return {};
    auto next = exceptions.begin();
    for (std::uint64_t& value : values) {
      if (value != escape_of(*width)) continue;
      if (next == exceptions.end()) return damaged("fewer exceptions than the planes call for");
      value = *next++;
    }
    if (next != exceptions.end()) return damaged("more exceptions than the planes call for");
    return {};
  }

 private:
  // Plane 0 sets the values, the others add to them.
  static void add(std::span<std::uint64_t> values, const std::byte* __restrict plane, std::size_t byte) {
    std::uint64_t* __restrict to = values.data();
    const std::size_t records = values.size();
    if (byte == 0)
      for (std::size_t i = 0; i < records; ++i) to[i] = std::to_integer<std::uint64_t>(plane[i]);
    else
      for (std::size_t i = 0; i < records; ++i)
        to[i] |= std::to_integer<std::uint64_t>(plane[i]) << (8 * byte);
  }

  Result<void> read_plane(ByteReader& in, std::span<std::uint64_t> values, std::size_t byte) {
    const auto kind = in.u8();
    if (!kind) return kind.error();
    switch (*kind) {
      case kConstant: {
        const auto constant = in.u8();
        if (!constant) return constant.error();
        const std::uint64_t part = std::uint64_t{*constant} << (8 * byte);
        for (std::uint64_t& value : values) value = byte == 0 ? part : value | part;
        return {};
      }
      case kStored: {
        const auto bytes = in.bytes(values.size());
        if (!bytes) return bytes.error();
        add(values, bytes->data(), byte);
        return {};
      }
      case kZstd: {
        const auto length = in.varint();
        if (!length) return length.error();
        const auto bytes = in.bytes(*length);
        if (!bytes) return bytes.error();
        plane_.resize(values.size());
        const std::size_t size =
            ZSTD_decompressDCtx(zstd_, plane_.data(), plane_.size(), bytes->data(), bytes->size());
        if (ZSTD_isError(size) != 0) return damaged(ZSTD_getErrorName(size));
        if (size != plane_.size()) return damaged("a plane shorter than the records");
        add(values, plane_.data(), byte);
        return {};
      }
      default:
        return damaged(fmt::format("a plane of kind {}", *kind));
    }
  }

  ZSTD_DCtx* zstd_;
  std::vector<std::byte> plane_;
};

}  // namespace

Result<void> decode_lossless(ByteReader& in, std::span<std::int64_t> start,
                             std::span<std::uint64_t> duration) {
  if (start.empty()) return {};
  const auto first = in.varint();
  if (!first) return first.error();
  ColumnReader reader;
  std::vector<std::uint64_t> gaps(start.size());
  if (auto done = reader.read(in, gaps); !done) return done.error().in("gaps");
  if (auto done = reader.read(in, duration); !done) return done.error().in("durations");
  std::uint64_t at = unzigzag(*first);
  start[0] = static_cast<std::int64_t>(at);
  for (std::size_t i = 1; i < start.size(); ++i) {
    at += duration[i - 1] + unzigzag(gaps[i]);
    start[i] = static_cast<std::int64_t>(at);
  }
  return {};
}

}  // namespace weir::trace
