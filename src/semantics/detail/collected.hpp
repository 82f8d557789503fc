#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "semantics/access.hpp"
#include "semantics/accesses.hpp"

namespace weir::semantics::detail {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

// A name became a file of a process.
struct Opening {
  std::string path;  // absolute, in normal form
  Event event;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  bool creates = false;
  bool exclusive = false;
  bool unnamed = false;     // a file of its own in the directory `path` (O_TMPFILE)
  bool in_mpi = false;      // made by MPI, inside one of its calls
  bool by_mpi = false;      // it is an MPI_File_open itself
  bool only_named = false;  // nothing was opened: truncate() and its like
  bool not_a_file = false;  // a pipe, a device
};

// Something happened to names, or somebody relied on one.
struct NameChange {
  enum class Kind : std::uint8_t {
    rename,
    exchange,
    link,
    soft_link,
    remove,
    make_directory,
    resize,
    look_up,
    list,
    miss
  };

  Kind kind = Kind::remove;
  std::string path;
  std::string other;  // the new name
  Event event;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  bool in_mpi = false;
};

struct PlacedSync {
  SyncPoint sync;
  std::uint32_t place = 0;
};

// All that one process did with one opening. In its accesses `member` is the process, and `syncs` their place
// among all that the process did.
struct Use {
  std::uint32_t process = 0;
  std::uint32_t opening = kNone;
  std::vector<Access> accesses;
  std::vector<PlacedSync> syncs;
  bool in_mpi = false;  // as the opening, when all is known
  bool guessed = false;
  bool mapped = false;
  bool read_ahead = false;
};

// A call that is neither data nor open, close or seek, by the function's number and where it was made.
struct MetadataKey {
  std::uint32_t function = 0;
  MetadataCount::Library made_by = MetadataCount::Library::none;
  friend auto operator<=>(const MetadataKey&, const MetadataKey&) = default;
};

struct Collected {
  std::vector<Opening> openings;
  std::vector<NameChange> changes;
  std::vector<Use> uses;
  std::map<MetadataKey, std::uint64_t> metadata;
  std::uint64_t data_calls = 0;
  std::uint64_t rings = 0;
  std::uint64_t unfollowed = 0;  // data calls whose bytes the trace does not tell
  std::uint64_t untyped = 0;     // MPI-IO calls with datatypes that were not seen being made
};

}  // namespace weir::semantics::detail
