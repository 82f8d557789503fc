#include "base/checksum.hpp"

#include <xxhash.h>

// Apart from checksum_stream.cpp: preload libraries link this one, and may not need what a failed check
// prints with.
namespace weir {

std::uint64_t checksum(ByteSpan bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace weir
