#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace weir::trace {

// A piece of a stream that can be read without what came before it.
struct BlockInfo {
  std::uint64_t offset = 0;  // of its section, from the first block's
  std::uint64_t bytes = 0;
  std::uint64_t timing_bytes = 0;  // of these
  std::uint64_t first_record = 0;
  std::uint64_t records = 0;
  std::int64_t first_start_ns = 0;
  std::int64_t last_end_ns = 0;
};

// What one thread after the other recorded into one lane.
struct StreamInfo {
  std::uint64_t records = 0;
  std::uint64_t lost = 0;     // calls that were not recorded: the disk was full
  std::uint64_t unseen = 0;   // calls of signal handlers that came at a bad moment
  std::uint64_t changed = 0;  // descriptors that were closed or replaced unseen, by raw system calls say
  std::uint64_t damaged = 0;  // frames that could not be read when the trace was merged
  // Each part has a grammar of its own: the grammar is closed when it reaches the memory bound.
  std::vector<std::uint64_t> part_records;
  std::uint64_t first_grammar = 0;  // the number of the first part's, among all of the trace
  std::vector<BlockInfo> blocks;
};

// One program in one process: after exec the same process number comes again, with another program.
struct ProcessInfo {
  std::int64_t number = 0;
  std::int64_t parent_number = 0;
  std::int64_t parent =
      -1;  // index of the process it was forked from, or whose program it replaced; -1: none seen
  std::string program;
  std::string directory;
  std::string host;
  std::vector<std::string> arguments;
  std::int64_t start_ns = 0;  // from the trace's origin
  std::vector<StreamInfo> streams;

  std::uint64_t records() const {
    std::uint64_t sum = 0;
    for (const StreamInfo& stream : streams) sum += stream.records;
    return sum;
  }
};

void put_processes(ByteWriter& out, const std::vector<ProcessInfo>& processes);
Result<std::vector<ProcessInfo>> take_processes(ByteReader& in);

}  // namespace weir::trace
