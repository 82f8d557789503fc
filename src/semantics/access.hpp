#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "consistency/operation.hpp"
#include "semantics/event.hpp"

namespace weir::semantics {

// One contiguous range of bytes that one call read or wrote.
struct Access {
  static constexpr std::uint8_t kWrite = 1;    // else it reads
  static constexpr std::uint8_t kDelayed = 2;  // takes effect between its call and the next flush point
  static constexpr std::uint8_t kMapped = 4;   // of a mapping: may be touched at any time until it ends
  // A write: of bytes that were cut off. With kMissed: nobody may have written behind these. With kMapped: of
  // bytes that moved to another place in the file.
  static constexpr std::uint8_t kTruncates = 8;
  static constexpr std::uint8_t kMpiIo = 16;    // of an MPI-IO call
  static constexpr std::uint8_t kMissed = 32;   // read beyond the end: asked for, and not there
  static constexpr std::uint8_t kFromEnd = 64;  // while accesses are made: `begin` counts from the end
  // A write: at the end, wherever that is. With kMissed: it relied on where the end was, and on nobody having
  // written behind it.
  static constexpr std::uint8_t kAtEnd = 128;
  static constexpr std::int64_t kEverAfter = std::int64_t{1} << 60;  // its end then

  std::int64_t begin = 0;
  std::int64_t end = 0;       // behind the last byte
  std::int64_t start_ns = 0;  // of the call, on the clock of rank 0
  std::int64_t end_ns = 0;
  std::uint64_t record = 0;
  std::uint32_t thread = 0;
  std::uint32_t member = 0;  // of the file
  std::uint32_t syncs = 0;   // sync points of the member on the file that come before it
  std::uint8_t flags = 0;
  std::uint16_t buffer = 0;  // of what is delayed: the stream or mapping that holds it

  bool writes() const { return (flags & kWrite) != 0; }
  bool delayed() const { return (flags & kDelayed) != 0; }
  bool at_end() const { return (flags & kAtEnd) != 0; }
  bool truncates() const { return (flags & (kTruncates | kMapped)) == kTruncates; }
  bool relies_on_end() const { return (flags & kMissed) != 0 && end == kEverAfter; }
};

// An operation of a process that concerns all it did to a file: an open, a close, a flush.
struct SyncPoint {
  // Where stdio's buffers and mappings reach the file.
  static constexpr std::uint32_t kFlushes = std::uint32_t{1} << 31;

  std::uint64_t record = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t thread = 0;
  std::uint32_t operations = 0;  // bits of consistency::Operations, and kFlushes
  std::uint16_t buffer = 0;      // what is flushed
};

// What one process has to do with one file.
struct Member {
  std::uint32_t process = 0;
  std::vector<SyncPoint> syncs;  // in their order in the process
};

struct File {
  std::string name;  // absolute; the first it had; of shared memory, where machines differ, "HOST:/dev/shm/x"
  std::vector<std::string> later_names;
  std::vector<Member> members;
  std::vector<Access> accesses;  // none before what it comes after; by start time otherwise
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
  std::uint32_t writers = 0;  // members that write
  std::uint32_t readers = 0;
  bool through_mpi = false;     // opened by MPI_File_open
  bool cut_by_several = false;  // members
  bool mapped = false;          // some of it through memory, when is not known
  bool guessed = false;         // positions are not known to the byte everywhere
  bool read_ahead = false;      // some read of a stream may be older than its call

  Event event(const Access& access) const {
    return {members[access.member].process, access.thread, access.record};
  }
  Event event(std::uint32_t member, const SyncPoint& sync) const {
    return {members[member].process, sync.thread, sync.record};
  }
};

}  // namespace weir::semantics
