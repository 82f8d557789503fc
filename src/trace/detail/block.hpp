#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "trace/replay.hpp"

namespace weir::trace::detail {

// A block's parts as bytes: what a reader needs to start in the middle of a stream.
struct BlockParts {
  std::uint64_t first_record = 0;
  std::uint64_t records = 0;
  ByteSpan state;  // of Replay, before the first record
  std::span<const Event> events;
  ByteSpan columns;
  ByteSpan timing;  // empty: no times
};

void put_block(ByteWriter& out, const BlockParts& parts);

struct Block {
  std::uint64_t first_record = 0;
  std::uint64_t records = 0;
  std::vector<std::byte> state;
  std::vector<Event> events;
  ByteSpan columns;  // within the bytes it was read from
  ByteSpan timing;
};

Result<Block> take_block(ByteSpan bytes);

}  // namespace weir::trace::detail
