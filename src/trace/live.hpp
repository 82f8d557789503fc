#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "calls/call.hpp"

namespace weir::trace::live {

// What a running program leaves behind: one file per lane, a lane being a stream of records that one thread
// at a time writes. docs/formats/live.md describes every byte. The first page is the header, then comes the
// tail, which the recorder has mapped and shares with the kernel, so that what was written there outlives the
// process; then sealed frames, each a full tail compressed.
//
//   header page | tail, kTailWords x 4 bytes | frame | frame | ...
//
// A tail is a sequence of entries of 32-bit words, little-endian. An entry is a record or a definition; its
// first word tells.

inline constexpr std::uint64_t kMagic = 0x4556494C52494557;  // "WEIRLIVE"
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kHeaderBytes = 4096;
inline constexpr std::size_t kTailWords = 64 * 1024;
inline constexpr std::size_t kTailBytes = kTailWords * 4;
inline constexpr std::string_view kFolder = "live";
inline constexpr std::string_view kSuffix = ".lane";
// Beside the lanes: 8 bytes that count the calls of threads for which there was no room to make a lane, and
// what `weir trace` knows of the run, as JSON.
inline constexpr std::string_view kLossFile = "lost";
inline constexpr std::string_view kRunFile = "run.json";
// What a merge inside MPI_Finalize leaves: how ticks become times, the blocks of a process, and what the
// processes of a world have come to.
inline constexpr std::string_view kClockFile = "clock";
inline constexpr std::string_view kPiecesSuffix = ".pieces";
inline constexpr std::string_view kPartSuffix = ".part";

// 64-bit words of the header page.
enum class HeaderWord : std::size_t {
  magic = 0,
  version,  // low 32 bits; bit 32: records carry times
  process,
  parent,
  lane,
  start_tick,  // when the process was first seen; with its number it names the process
  first_tick,  // three clocks read together when the lane began
  first_monotonic,
  first_wall,
  last_tick,  // and two of them when it was last sealed
  last_monotonic,
  lost,        // calls that were not recorded: the disk was full
  unseen,      // calls that a signal handler made while the recorder was at work
  calls,       // kCallTable of the recorder: function numbers mean what its build says
  cut,         // arguments that were too long to be kept, or to be kept whole
  state = 16,  // batch number << 32 | words of the tail in use; alone in its cache line
};

// FNV-1a over the names of all calls in their order: two builds with the same number mean the same functions.
constexpr std::uint64_t call_table_hash() {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < kCallCount; ++i)
    for (const char c : name(static_cast<Call>(i)))
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}
inline constexpr std::uint64_t kCallTable = call_table_hash();

inline constexpr std::uint64_t kTimed = std::uint64_t{1} << 32;

// The first word of an entry.
//   record:     0 | columns (4 bits) | symbol (26 bits); then gap and duration in ticks, a word each
//   long:       1 | columns | symbol; gap and duration are two words each
//   definition: 2 | type (6 bits) | length in bytes (24 bits); then that many bytes, padded to words
// Each column value follows as two words. Without times there are no gap and duration.
enum class EntryKind : std::uint32_t { record = 0, long_record = 1, definition = 2 };

inline constexpr std::uint32_t kSymbols = 1U << 26;
inline constexpr std::uint32_t kMostColumns = 15;
inline constexpr std::uint32_t kMostDefinitionBytes = (1U << 24) - 1;
inline constexpr std::size_t kLongestList = 120 * 1024;  // of an argument, as it is written down
inline constexpr std::size_t kLongestText = 16 * 1024;

constexpr std::uint32_t record_word(EntryKind kind, std::uint32_t columns, std::uint32_t symbol) {
  return static_cast<std::uint32_t>(kind) << 30 | columns << 26 | symbol;
}
constexpr EntryKind kind_of(std::uint32_t word) { return static_cast<EntryKind>(word >> 30); }
constexpr std::uint32_t columns_of(std::uint32_t word) { return (word >> 26) & kMostColumns; }
constexpr std::uint32_t symbol_of(std::uint32_t word) { return word & (kSymbols - 1); }

enum class Definition : std::uint32_t {
  signature = 1,      // its words, 8 bytes each; numbered from 0 in the order they come
  text = 2,           // the bytes; numbered likewise
  name_template = 3,  // the bytes; numbered likewise
  handle = 4,         // HandleDefinition, then the name
  directory = 5,      // the working directory from here on
  thread = 6,         // the kernel's number of the thread that writes from here on, 8 bytes, then its name
  restart = 7,        // signatures, texts and templates start again from 0; all handles are forgotten
  clock = 8,          // 8 bytes: the tick from which the next gap is counted
  process = 9,        // four strings: program, working directory, arguments, host; each 4 bytes of length and
                      // the bytes
  reset = 10,         // positions and last numbers of templates are 0 again
  surprise = 11,      // 4 bytes: a descriptor that was closed or replaced unseen
  rank = 12,          // RankDefinition, of the process; again at MPI_Finalize, with a second offset behind it
  communicator = 13,  // CommunicatorDefinition, of the process, then the members
};

constexpr std::uint32_t definition_word(Definition type, std::uint32_t bytes) {
  return static_cast<std::uint32_t>(EntryKind::definition) << 30 | static_cast<std::uint32_t>(type) << 24 |
         bytes;
}
constexpr Definition definition_of(std::uint32_t word) {
  return static_cast<Definition>((word >> 24) & 0x3f);
}
constexpr std::uint32_t bytes_of(std::uint32_t word) { return word & kMostDefinitionBytes; }

// What a descriptor was found to be. The numbers are part of the format.
enum class HandleKind : std::uint32_t {
  unknown = 0,
  file = 1,
  directory = 2,
  pipe = 3,
  socket = 4,
  device = 5,
  other = 6,
};

// A handle that this lane did not open itself: inherited, opened by another thread, or opened unseen.
struct HandleDefinition {
  std::uint32_t id;
  std::int32_t descriptor;  // -1: a stream or directory without one
  std::uint32_t kind;
  std::uint32_t flags;  // as open() takes them
  std::int64_t position;
  std::uint64_t device;
  std::uint64_t inode;
};
static_assert(sizeof(HandleDefinition) == 40);

// Which of how many the process is to MPI, and its clock (monotonic, ns) minus that of rank 0.
struct RankDefinition {
  std::int32_t rank;
  std::int32_t world_size;
  std::int64_t clock_at_init;
};
static_assert(sizeof(RankDefinition) == 16);
inline constexpr std::size_t kFinalRankBytes = sizeof(RankDefinition) + sizeof(std::int64_t);

// Behind it the members' ranks in the world, in their order: RankRuns until `members` of them are described.
// An inter-communicator goes on with u32, the number of the remote group's, and theirs likewise.
struct CommunicatorDefinition {
  std::uint32_t id;
  std::uint32_t flags;
  std::uint32_t own_rank;
  std::uint32_t members;
};
static_assert(sizeof(CommunicatorDefinition) == 16);
inline constexpr std::uint32_t kInterCommunicator = 1;  // a flag

// first, first + stride, ...: `count` ranks.
struct RankRun {
  std::int32_t first;
  std::int32_t stride;
  std::int32_t count;

  friend bool operator==(const RankRun&, const RankRun&) = default;
};
static_assert(sizeof(RankRun) == 12);

struct FrameHeader {
  std::uint32_t magic;
  std::uint32_t batch;
  std::uint32_t raw_bytes;
  std::uint32_t bytes;
  std::uint64_t checksum;  // of the bytes that follow
  std::uint64_t reserved;
};
static_assert(sizeof(FrameHeader) == 32);
inline constexpr std::uint32_t kFrameMagic = 0x4D524657;  // "WFRM"

}  // namespace weir::trace::live
