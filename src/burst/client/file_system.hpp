#pragma once

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>

#include "burst/backing.hpp"
#include "burst/client/file.hpp"
#include "burst/client/session.hpp"
#include "burst/segment_log.hpp"
#include "burst/segment_reader.hpp"
#include "consistency/policy.hpp"

namespace weir::burst {

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
  int unlink(std::string_view path);
  int rename(std::string_view from, std::string_view to);
  int detach_all();

  // --- for files ---
  Session& session() { return *session_; }
  std::uint32_t node() const { return session_->node(); }
  // Appends to the log; `pieces` says where each part of the file's bytes from `offset` on went.
  int write_log(ByteSpan bytes, std::uint64_t offset, std::vector<Extent>& pieces);
  // Bytes of a segment of this node; ESTALE when it is gone.
  int read_segment(const Place& place, std::span<std::byte> into);
  Outcome<Content> fetch(std::uint32_t node, const Fetch& request);
  // Its descriptor in the backing directory; stays -1 where it is not there.
  int backing_of(SharedFile& file, int& descriptor);
  void publish_later(const std::shared_ptr<SharedFile>& file);
  void forget_if_unused(const std::shared_ptr<SharedFile>& file);

 private:
  FileSystem(std::unique_ptr<Session> session, Backing backing, consistency::FilePolicy policy,
             const Policy& standard);

  // A clean path below the mount; empty when it leads elsewhere.
  std::string inside(std::string_view path) const;
  const Policy& policy_of(const std::string& path) const;
  std::shared_ptr<SharedFile> shared(FileId id);
  Outcome<Stated> state_of(std::string_view path);
  void publish_in_background();

  std::unique_ptr<Session> session_;
  Backing backing_;
  consistency::FilePolicy rows_;
  const Policy& standard_;
  SegmentLog log_;
  SegmentReader segments_;

  std::mutex mutex_;  // guards files_
  std::unordered_map<FileId, std::shared_ptr<SharedFile>> files_;

  std::mutex later_mutex_;  // guards what follows
  std::condition_variable later_bell_;
  std::set<std::shared_ptr<SharedFile>> later_;
  bool ending_ = false;
  std::thread publisher_;
};

}  // namespace weir::burst
