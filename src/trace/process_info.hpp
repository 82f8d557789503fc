#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "trace/format.hpp"

namespace weir::trace {

// A section behind the tables. Pieces of the same bytes are one.
struct Piece {
  Section type = Section::block;
  std::uint64_t offset = 0;  // of its section, from the first piece's
  std::uint64_t bytes = 0;   // of its payload
};

// A part of a stream that can be read without what came before it.
struct BlockInfo {
  static constexpr std::uint32_t kNoPiece = ~std::uint32_t{0};

  std::uint64_t first_record = 0;
  std::uint64_t records = 0;
  std::int64_t first_start_ns = 0;
  std::int64_t last_end_ns = 0;
  std::uint32_t block = kNoPiece;   // pieces: columns and events,
  std::uint32_t state = kNoPiece;   // what came before; the first block of a stream has none,
  std::uint32_t timing = kNoPiece;  // and the times, if there are any
  std::string numbers;              // of descriptors and the like: detail/block.hpp
};

// A thread that records into a stream, from this record on.
struct ThreadInfo {
  std::uint64_t first_record = 0;
  std::uint64_t number = 0;  // the kernel's
  std::string name;
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
  std::vector<ThreadInfo> threads;
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
  std::int64_t rank = -1;     // to MPI; -1: none
  std::int64_t world_size = 0;
  std::optional<std::int64_t> clock_at_init;      // this process's clock minus that of rank 0, ns
  std::optional<std::int64_t> clock_at_finalize;  // only with the one before
  std::uint32_t class_number = 0;                 // which signatures it has
  std::vector<std::uint64_t> own_words;           // those of them that are its own, in their order
  std::vector<std::uint32_t> communicators;       // that it was a member of, by their index in the trace
  std::vector<StreamInfo> streams;

  std::uint64_t records() const {
    std::uint64_t sum = 0;
    for (const StreamInfo& stream : streams) sum += stream.records;
    return sum;
  }
};

struct ProcessTable {
  std::vector<Piece> pieces;
  std::vector<ProcessInfo> processes;
};

// Column by column, so that many processes of the same program cost few bytes each.
void put_processes(ByteWriter& out, const ProcessTable& table);
// `own_words` says for each class how many words its processes have of their own.
Result<ProcessTable> take_processes(ByteReader& in, std::span<const std::size_t> own_words,
                                    std::size_t communicators);

// What decoding relies on: blocks and parts cover the records of the stream without gaps.
Result<void> check(const StreamInfo& stream);

}  // namespace weir::trace
