#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "trace/process_info.hpp"
#include "trace/replay.hpp"

// What version 1 of the format has otherwise: processes row by row, blocks that hold state and times, numbers
// of the whole trace in grammars and columns.
namespace weir::trace::detail::version1 {

struct Processes {
  ProcessTable table;
  std::uint64_t timing_bytes = 0;
};
Result<Processes> take_processes(ByteReader& packed);

struct Block {
  std::uint64_t first_record = 0;
  std::uint64_t records = 0;
  std::uint64_t thread = 0;      // before the first record
  std::vector<std::byte> state;  // likewise, of Replay
  std::vector<Event> events;     // threads among them
  ByteSpan columns;              // within the bytes it was read from
  ByteSpan timing;
};
Result<Block> take_block(ByteSpan bytes);

}  // namespace weir::trace::detail::version1
