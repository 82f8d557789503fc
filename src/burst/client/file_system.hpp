#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>

#include <boost/container/small_vector.hpp>

#include "burst/backing.hpp"
#include "burst/client/file.hpp"
#include "burst/client/session.hpp"
#include "burst/io_threads.hpp"
#include "burst/name_protocol.hpp"
#include "burst/segment_log.hpp"
#include "burst/segment_reader.hpp"
#include "burst/space_protocol.hpp"
#include "consistency/policy.hpp"

namespace weir::burst {

// Where the parts of one write went.
using LoggedPieces = boost::container::small_vector<Extent, 2>;

// A process's view of a job's file system: its session, its log, its open files. Any thread may use it.
class FileSystem {
 public:
  static Result<std::unique_ptr<FileSystem>> connect(const Job& job, std::uint32_t node);
  ~FileSystem();  // its files must be closed before
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;

  // Failures are errno values. `path` is absolute below the mount, or relative to it: EXDEV when it leads
  // elsewhere. `flags` as of open(); the policy of the path by the job's rows when none is given.
  Outcome<std::shared_ptr<File>> open(std::string_view path, int flags, std::uint32_t mode,
                                      const Policy* policy = nullptr);
  int stat(std::string_view path, Attributes& attributes);
  // The same with the file's number and where it is.
  Outcome<Stated> look(std::string_view path);
  // Opens a file by its number: one that a process was handed open.
  Outcome<std::shared_ptr<File>> adopt(FileId file, int flags);
  // The names below a directory that are known to the owners, also those of files that are nowhere else yet.
  // The mount itself is "".
  int list(const std::string& directory, std::vector<NameRow>& rows);
  int unlink(std::string_view path);
  int rename(std::string_view from, std::string_view to);
  // One more name for a file.
  int link(FileId file, std::string_view name);
  int detach_all();

  // --- for files ---
  Session& session() { return *session_; }
  TokenDesk& tokens() { return tokens_; }
  // What is written behind the end, anywhere, is known to the owner.
  int look_for_end(FileId file, std::uint64_t size);
  std::uint32_t node() const { return session_->node(); }
  // Appends to the log; `pieces` says where each part of the file's bytes from `offset` on went.
  // Its segments are kept while `pin` lives: until the pieces are in the file's map.
  [[gnu::always_inline]] int write_log(ByteSpan bytes, std::uint64_t offset, LoggedPieces& pieces,
                                       SegmentLog::Pin& pin);
  // After a file was closed: the agent is told which segments are not needed any more. It is told so with
  // each new segment too.
  void tell_log_use();
  // Bytes of a segment of this node; ESTALE when it is gone.
  int read_segment(const Place& place, std::span<std::byte> into);
  // Of segments of this node: these are mapped by another thread, where there is a processor for it.
  void touch_soon(std::vector<Extent> extents);
  std::uint64_t touched_soon() const { return touched_soon_; }  // bytes so far
  // A file was read from its beginning to its end in large pieces: the next one that is opened will be too,
  // presumably.
  void note_whole_read() { will_read_whole_.store(true, std::memory_order_relaxed); }
  Outcome<Content> fetch(std::uint32_t node, const Fetch& request);
  // Its descriptor in the backing directory; stays -1 where it is not there.
  int backing_of(SharedFile& file, int& descriptor);
  // The owner of a file has no room to note what was published: space is got back on its node; whether some
  // came.
  bool make_room(std::uint32_t server);
  void publish_later(const std::shared_ptr<SharedFile>& file);
  // Something of this process was published, before its opens learn of it.
  void note_publication() { publications_.fetch_add(1); }
  void forget_if_unused(const std::shared_ptr<SharedFile>& file);

 private:
  FileSystem(std::unique_ptr<Session> session, Backing backing, consistency::FilePolicy policy,
             const Policy& standard);

  // A clean path below the mount; empty when it leads elsewhere.
  std::string inside(std::string_view path) const;
  const Policy& policy_of(const std::string& path) const;
  // What the process has of the file, for an open that is about to be made: until it is there, nobody else's
  // close forgets it.
  std::shared_ptr<SharedFile> shared(FileId id);
  // What was published between the answer to an open and the moment from which the open is told of such
  // things it looks up: the process's own writes are always seen. Likewise what the answer had no room for.
  Outcome<std::shared_ptr<File>> with_the_rest(std::shared_ptr<File> file, bool has_more,
                                               std::uint64_t publications_before);
  // Asks for a name, and for the file it leads to where that is elsewhere.
  Outcome<Opened> ask_to_open(const Open& request);
  Outcome<Stated> state_of(std::string_view path);
  // Of a file that is open, by its opens; else by its path.
  const Policy& policy_of(FileId file, std::string_view path);
  void publish_in_background();
  int ask_for_segment(std::uint32_t number, std::uint64_t bytes, std::string& path, std::uint64_t& size);
  LogUse log_use();

  std::unique_ptr<Session> session_;
  TokenDesk tokens_;  // ends before the session does
  Backing backing_;
  consistency::FilePolicy rows_;
  const Policy& standard_;
  UniqueFd life_;  // held from the first segment on
  SegmentLog log_;
  std::mutex told_mutex_;  // guards told_
  LogUse told_;            // what the agent knows
  SegmentReader segments_;

  std::atomic<std::uint64_t> publications_ = 0;
  std::mutex mutex_;  // guards files_
  std::unordered_map<FileId, std::shared_ptr<SharedFile>> files_;

  std::mutex later_mutex_;  // guards what follows
  std::condition_variable later_bell_;
  std::set<std::shared_ptr<SharedFile>> later_;
  bool ending_ = false;
  std::thread publisher_;

  std::once_flag touching_;
  std::atomic<std::uint64_t> touched_soon_ = 0;
  std::atomic<bool> will_read_whole_ = false;
  std::optional<IoThreads> toucher_;  // last: it uses the segments
};

inline int FileSystem::write_log(ByteSpan bytes, std::uint64_t offset, LoggedPieces& pieces,
                                 SegmentLog::Pin& pin) {
  LogSlices slices;
  if (const int error = log_.append(bytes, slices, &pin); error != 0) return error;
  for (const LogSlice& slice : slices) {
    pieces.push_back({{offset, offset + slice.length},
                      {.node = node(),
                       .segment = slice.segment,
                       .client = session_->client(),
                       .position = slice.position}});
    offset += slice.length;
  }
  return 0;
}

}  // namespace weir::burst
