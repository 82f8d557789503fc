#include "base/compress.hpp"

#include <fmt/format.h>
#include <zstd.h>

namespace weir {

void put_packed(ByteWriter& out, ByteSpan bytes, int level) {
  out.varint(bytes.size());
  if (bytes.empty()) return;
  std::vector<std::byte> packed(ZSTD_compressBound(bytes.size()));
  const std::size_t size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), level);
  if (ZSTD_isError(size) != 0 || size >= bytes.size()) {
    out.varint(0);
    out.bytes(bytes);
    return;
  }
  out.varint(size);
  out.bytes({packed.data(), size});
}

Result<std::vector<std::byte>> take_packed(ByteReader& in, std::uint64_t most) {
  const auto length = in.varint();
  if (!length) return length.error();
  if (*length > most)
    return Error{Errc::bad_data, fmt::format("{} bytes stated where {} are the most", *length, most)};
  if (*length == 0) return std::vector<std::byte>();
  const auto packed = in.varint();
  if (!packed) return packed.error();
  const auto bytes = in.bytes(*packed == 0 ? *length : *packed);
  if (!bytes) return bytes.error();
  if (*packed == 0) return std::vector<std::byte>(bytes->begin(), bytes->end());
  return unpack_frame(*bytes, *length);
}

Result<std::vector<std::byte>> unpack_frame(ByteSpan frame, std::uint64_t size) {
  // Memory is taken only for what the frame itself says it holds.
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != size)
    return Error{Errc::bad_data, "packed bytes are damaged: another length than stated"};
  std::vector<std::byte> out(size);
  const std::size_t got = ZSTD_decompress(out.data(), out.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) != 0)
    return Error{Errc::bad_data, fmt::format("packed bytes are damaged: {}", ZSTD_getErrorName(got))};
  if (got != size) return Error{Errc::bad_data, "packed bytes are damaged: too few"};
  return out;
}

}  // namespace weir
