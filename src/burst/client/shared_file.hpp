#pragma once

#include <array>
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

  // Own writes of the range become visible to others, in one message if it holds them; without any, and
  // without `close`, no message is sent. `close`: and one of the opens ends. An errno.
  int publish(FileSystem& system, Span bytes, bool close);
  // Bytes in the log become the end of the file for all, in one message; `pieces` begin at zero. An errno.
  int append(FileSystem& system, std::vector<Extent> pieces, std::uint64_t& begin);
  // Likewise by a token: no message where the node holds it.
  int push_by_token(FileSystem& system, Span bytes);
  // Own publications of the range end, for others and for the opens of this process. An errno.
  int take_back(FileSystem& system, Span bytes);

  const FileId id;
  std::mutex mutex;           // guards the rest; not held while copying, nor while publishing and looking
  ExtentMap mine;             // written and not published; versions are zero
  std::uint64_t writes = 0;   // that went into `mine`
  std::uint64_t pushes = 0;   // writes by token
  std::uint64_t drained = 0;  // of them: known to the owner
  std::vector<File*> opens;
  unsigned coming = 0;  // opens that are being made
  UniqueFd backing;     // opened by the first read that needs it

  // What this process has published while it looked: an answer may have been given before.
  struct Publication {
    std::uint64_t version = 0;
    std::vector<Extent> extents;
  };
  // As long as it lives, publications are kept: those from begin() on came since it was made. Takes the
  // mutex.
  class Looking {
   public:
    explicit Looking(SharedFile& file);
    ~Looking();
    Looking(const Looking&) = delete;
    Looking& operator=(const Looking&) = delete;
    std::uint64_t begin() const { return begin_; }

   private:
    SharedFile& file_;
    std::uint64_t begin_ = 0;
  };
  // The mutex is held.
  void note_publication(std::uint64_t version, const std::vector<Extent>& extents);
  // Something else was changed by this process: looks that are under way are taken again.
  void note_other_change() { unknown_until_ = ++publications_; }
  // Whether all of them are kept.
  bool knows_since(std::uint64_t begin) const {
    return begin >= unknown_until_ && publications_ - begin <= recent_.size();
  }
  template <class Visit>
  void for_each_since(std::uint64_t begin, const Visit& visit) const {
    for (std::uint64_t i = begin; i < publications_; ++i) visit(recent_[i % recent_.size()]);
  }

  // What others can find now is no longer `mine`, unless it was written again meanwhile: the mutex is held.
  void take_out(const std::vector<Extent>& extents, Span bytes, std::uint64_t writes_before);

  std::mutex publishing;  // held from taking out of `mine` to the owner's answer: one attach after the other

 private:
  std::uint64_t publications_ = 0;  // and other changes, so far
  std::uint64_t unknown_until_ = 0;
  unsigned looking_ = 0;
  bool keeps_some_ = false;
  std::array<Publication, 32> recent_;  // by number
};

}  // namespace weir::burst
