#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace weir {

// Appends `bytes` compressed, with what is needed to take them back: varint of the length, varint of the
// packed length (0: stored as they are), the bytes.
void put_packed(ByteWriter& out, ByteSpan bytes, int level = 3);

// Takes them back. A stated length above `most` is an error, found before anything is allocated.
Result<std::vector<std::byte>> take_packed(ByteReader& in, std::uint64_t most);

// One zstd frame of a known size.
Result<std::vector<std::byte>> unpack_frame(ByteSpan frame, std::uint64_t size);

}  // namespace weir
