#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include <unistd.h>

#include "burst/client/file_system.hpp"
#include "burst/client/fill_stat.hpp"
#include "burst/this_node.hpp"
#include "weir/burst.h"

using weir::burst::Attributes;
using weir::burst::Extent;
using weir::burst::File;
using weir::burst::FileSystem;
using weir::burst::Span;
using weir::burst::Transfer;

struct weir_fs {
  std::unique_ptr<FileSystem> system;
  pid_t pid = ::getpid();
  std::mutex mutex;  // guards files
  std::unordered_map<weir_file*, std::unique_ptr<weir_file>> files;
};

struct weir_file {
  weir_fs* fs = nullptr;
  std::shared_ptr<File> file;
};

namespace {

int fail(int error) {
  errno = error;
  return -1;
}

int done(int error) { return error == 0 ? 0 : fail(error); }

ssize_t done(const Transfer& transfer) {
  return transfer.error == 0 ? static_cast<ssize_t>(transfer.bytes) : fail(transfer.error);
}

int errno_of(const weir::Error& error) {
  switch (error.code()) {
    case weir::Errc::not_found:
      return ENOENT;
    case weir::Errc::usage:
      return EACCES;
    case weir::Errc::bad_data:
      return EINVAL;
    case weir::Errc::lacking:
      return ENOSYS;
    default:
      return EIO;
  }
}

// Whether the range makes sense; `span` is it.
bool range(off_t offset, size_t bytes, Span& span) {
  if (offset < 0) return false;
  const auto begin = static_cast<std::uint64_t>(offset);
  const std::uint64_t end =
      bytes > weir::burst::kWholeFile.end - begin ? weir::burst::kWholeFile.end : begin + bytes;
  span = {begin, end};
  return true;
}

// As with fcntl(), no bytes are all that follow.
bool lock_range(off_t offset, size_t bytes, Span& span) {
  if (!range(offset, bytes, span)) return false;
  if (bytes == 0) span.end = weir::burst::kWholeFile.end;
  return !span.empty();
}

int tell_intervals(const std::vector<Extent>& extents, weir_interval** intervals, size_t* count) {
  if (count != nullptr) *count = extents.size();
  if (intervals == nullptr) return 0;
  *intervals = nullptr;
  if (extents.empty()) return 0;
  auto* const rows = static_cast<weir_interval*>(std::calloc(extents.size(), sizeof(weir_interval)));
  if (rows == nullptr) return fail(ENOMEM);
  std::ranges::transform(extents, rows, [](const Extent& extent) {
    return weir_interval{extent.bytes.begin, extent.bytes.end, extent.where.client, extent.where.node};
  });
  *intervals = rows;
  return 0;
}

int query(weir_file* file, Span span, weir_interval** intervals, size_t* count) {
  if (const int error = file->file->query(span); error != 0) return fail(error);
  if (intervals == nullptr && count == nullptr) return 0;
  std::vector<Extent> extents;
  if (const int error = file->file->owners(span, extents); error != 0) return fail(error);
  return tell_intervals(extents, intervals, count);
}

// A program that ends without a word has its files published as if it had closed them.
struct Connected {
  std::mutex mutex;  // guards all
  std::unordered_set<weir_fs*> all;
};

Connected& connected() {
  static auto* const here = new Connected;  // never destroyed: exit handlers still do I/O
  return *here;
}

void publish_at_exit() {
  const std::lock_guard lock(connected().mutex);
  for (weir_fs* const fs : connected().all) {
    if (fs->pid != ::getpid()) continue;
    const std::lock_guard files(fs->mutex);
    for (const auto& [file, owned] : fs->files) static_cast<void>(file->file->publish_as_close());
  }
}

weir_fs* connect(std::unique_ptr<FileSystem> system) {
  auto fs = std::make_unique<weir_fs>();
  fs->system = std::move(system);
  // After the first connection: what it made lives longer than this handler.
  static const int registered = std::atexit(publish_at_exit);
  static_cast<void>(registered);
  const std::lock_guard lock(connected().mutex);
  connected().all.insert(fs.get());
  return fs.release();
}

}  // namespace

extern "C" {

weir_fs* weir_fs_connect(const char* job) {
  if (job == nullptr) job = std::getenv(weir::burst::kJobVariable);
  if (job == nullptr) return errno = ENOENT, nullptr;
  const auto read = weir::burst::Job::read(job);
  if (!read) return errno = errno_of(read.error()), nullptr;
  const auto node = weir::burst::server_of_this_node(*read);
  if (!node) return errno = errno_of(node.error()), nullptr;
  auto system = FileSystem::connect(*read, *node);
  if (!system) return errno = errno_of(system.error()), nullptr;
  return connect(std::move(*system));
}

int weir_fs_disconnect(weir_fs* fs) {
  // A forked child leaves it as it is: its files, its threads and whoever waits for them are the parent's.
  if (fs->pid != ::getpid()) return 0;
  {
    const std::lock_guard lock(connected().mutex);
    connected().all.erase(fs);
  }
  int error = 0;
  for (const auto& [file, owned] : fs->files)
    if (const int failed = file->file->close(); failed != 0) error = failed;
  delete fs;
  return done(error);
}

uint64_t weir_fs_client(const weir_fs* fs) { return fs->system->session().client(); }

weir_file* weir_open(weir_fs* fs, const char* path, int flags, mode_t mode, const char* model) {
  const weir::burst::Policy* policy = nullptr;
  if (model != nullptr) {
    const auto found = weir::burst::find_policy(model);
    if (!found) return errno = EINVAL, nullptr;
    policy = *found;
  }
  auto opened = fs->system->open(path, flags, mode, policy);
  if (!opened) return errno = opened.error, nullptr;
  auto file = std::make_unique<weir_file>();
  file->fs = fs;
  file->file = std::move(opened.body);
  weir_file* const raw = file.get();
  const std::lock_guard lock(fs->mutex);
  fs->files.emplace(raw, std::move(file));
  return raw;
}

int weir_close(weir_file* file) {
  const int error = file->file->close();
  const std::lock_guard lock(file->fs->mutex);
  file->fs->files.erase(file);
  return done(error);
}

ssize_t weir_read(weir_file* file, void* buffer, size_t bytes) {
  return done(file->file->read({static_cast<std::byte*>(buffer), bytes}));
}
ssize_t weir_write(weir_file* file, const void* buffer, size_t bytes) {
  return done(file->file->write({static_cast<const std::byte*>(buffer), bytes}));
}
ssize_t weir_pread(weir_file* file, void* buffer, size_t bytes, off_t offset) {
  if (offset < 0) return fail(EINVAL);
  return done(
      file->file->pread({static_cast<std::byte*>(buffer), bytes}, static_cast<std::uint64_t>(offset)));
}
ssize_t weir_pwrite(weir_file* file, const void* buffer, size_t bytes, off_t offset) {
  if (offset < 0) return fail(EINVAL);
  return done(
      file->file->pwrite({static_cast<const std::byte*>(buffer), bytes}, static_cast<std::uint64_t>(offset)));
}
off_t weir_seek(weir_file* file, off_t offset, int whence) {
  std::uint64_t position = 0;
  if (const int error = file->file->seek(offset, whence, position); error != 0) return fail(error);
  return static_cast<off_t>(position);
}
off_t weir_tell(weir_file* file) { return static_cast<off_t>(file->file->tell()); }
int weir_fsync(weir_file* file) { return done(file->file->sync(weir::consistency::Operation::fsync)); }
int weir_ftruncate(weir_file* file, off_t size) {
  if (size < 0) return fail(EINVAL);
  return done(file->file->truncate(static_cast<std::uint64_t>(size)));
}
int weir_fstat(weir_file* file, struct stat* status) {
  Attributes attributes;
  const int error = file->file->stat(attributes);
  if (error == 0) weir::burst::fill_stat(attributes, {}, *status);
  return done(error);
}
int weir_stat(weir_fs* fs, const char* path, struct stat* status) {
  Attributes attributes;
  const int error = fs->system->stat(path, attributes);
  if (error == 0) weir::burst::fill_stat(attributes, {}, *status);
  return done(error);
}
int weir_unlink(weir_fs* fs, const char* path) { return done(fs->system->unlink(path)); }
int weir_rename(weir_fs* fs, const char* from, const char* to) { return done(fs->system->rename(from, to)); }
int weir_flush(weir_file* file) { return done(file->file->flush()); }
ssize_t weir_read_peer(weir_file* file, uint64_t client, void* buffer, size_t bytes, off_t offset) {
  if (offset < 0) return fail(EINVAL);
  return done(file->file->read_peer(client, {static_cast<std::byte*>(buffer), bytes},
                                    static_cast<std::uint64_t>(offset)));
}

int weir_attach(weir_file* file, off_t offset, size_t bytes) {
  Span span;
  return range(offset, bytes, span) ? done(file->file->attach(span)) : fail(EINVAL);
}
int weir_attach_file(weir_file* file) { return done(file->file->attach_all()); }
int weir_query(weir_file* file, off_t offset, size_t bytes, weir_interval** intervals, size_t* count) {
  Span span;
  return range(offset, bytes, span) ? query(file, span, intervals, count) : fail(EINVAL);
}
int weir_query_file(weir_file* file, weir_interval** intervals, size_t* count) {
  return query(file, weir::burst::kWholeFile, intervals, count);
}
int weir_detach(weir_file* file, off_t offset, size_t bytes) {
  Span span;
  return range(offset, bytes, span) ? done(file->file->detach(span)) : fail(EINVAL);
}
int weir_detach_file(weir_file* file) { return done(file->file->detach(weir::burst::kWholeFile)); }
int weir_detach_client(weir_fs* fs) { return done(fs->system->detach_all()); }

int weir_lock(weir_file* file, off_t offset, size_t bytes, int type) {
  Span span;
  if ((type != WEIR_LOCK_SHARED && type != WEIR_LOCK_EXCLUSIVE) || !lock_range(offset, bytes, span))
    return fail(EINVAL);
  return done(file->file->lock(span, type == WEIR_LOCK_EXCLUSIVE ? weir::burst::lock::Mode::exclusive
                                                                 : weir::burst::lock::Mode::shared));
}
int weir_release(weir_file* file, off_t offset, size_t bytes) {
  Span span;
  return lock_range(offset, bytes, span) ? done(file->file->unlock(span)) : fail(EINVAL);
}
int weir_release_file(weir_file* file) { return done(file->file->unlock_all()); }
int weir_release_client(weir_fs* fs) { return done(fs->system->tokens().unlock_all()); }

}  // extern "C"
