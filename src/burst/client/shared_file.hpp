#pragma once

#include <cstdint>
#include <limits>
#include <mutex>
#include <vector>

#include "base/unique_fd.hpp"
#include "burst/extent_map.hpp"
#include "burst/file_id.hpp"

namespace weir::burst {

class File;
class FileSystem;

inline constexpr Span kWholeFile{0, std::numeric_limits<std::int64_t>::max()};

// What a process has of a file, however often it has it open.
class SharedFile {
 public:
  explicit SharedFile(FileId file) : id(file) {}

  // Own writes of the range become visible to others, in one message; without any, and without `close`, no
  // message is sent. `close`: and one of the opens ends. An errno.
  int publish(FileSystem& system, Span bytes, bool close);

  const FileId id;
  std::mutex mutex;          // guards the rest; not held while copying, nor while publishing and looking
  ExtentMap mine;            // written and not published; versions are zero
  std::uint64_t writes = 0;  // that went into `mine`
  std::uint64_t publications = 0;  // how often it went to the owner
  std::vector<File*> opens;
  UniqueFd backing;  // opened by the first read that needs it

  std::mutex publishing;  // held from taking out of `mine` to the owner's answer: one attach after the other
};

}  // namespace weir::burst
