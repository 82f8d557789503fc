#include "burst/preload/streams.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <pthread.h>
#include <stdio_ext.h>
#include <unistd.h>

#include "base/uncancelled.hpp"
#include "burst/preload/descriptors.hpp"
#include "burst/preload/mount.hpp"
#include "burst/preload/names.hpp"
#include "burst/preload/own_work.hpp"
#include "burst/preload/process.hpp"
#include "burst/preload/table.hpp"

namespace weir::burst::preload {

constinit std::atomic<bool> Streams::any_replaced_{false};

namespace {

int number(void* cookie) { return static_cast<int>(reinterpret_cast<std::intptr_t>(cookie)); }

ssize_t finish(const Answer& answer) {
  if (answer.error != 0) errno = answer.error;
  return answer.value;
}

// The C library calls these from inside the program's calls, and when the process ends. Reading and writing
// are points of cancellation, as they are in its own streams; whoever calls it from here sees to that.
ssize_t cookie_read(void* cookie, char* buffer, std::size_t bytes) {
  ::pthread_testcancel();
  const OwnWork work;
  const Use file(number(cookie));
  const iovec part{buffer, bytes};
  return file ? finish(file->read(number(cookie), &part, 1)) : finish(Answer::failed(EBADF));
}

ssize_t cookie_write(void* cookie, const char* buffer, std::size_t bytes) {
  ::pthread_testcancel();
  const OwnWork work;
  const Use file(number(cookie));
  const iovec part{const_cast<char*>(buffer), bytes};
  const ssize_t done = file ? finish(file->write(number(cookie), &part, 1)) : finish(Answer::failed(EBADF));
  return done < 0 ? 0 : done;  // what such a function has to say of a failure
}

int cookie_seek(void* cookie, off64_t* offset, int whence) {
  const OwnWork work;
  const Use file(number(cookie));
  const Answer answer = file ? file->seek(number(cookie), *offset, whence) : Answer::failed(EBADF);
  if (answer.error != 0) {
    errno = answer.error;
    return -1;
  }
  *offset = answer.value;
  return 0;
}

int cookie_close(void* cookie) {
  const OwnWork work;
  const Uncancelled whole;
  const int fd = number(cookie);
  const int error = Table::current().drop(fd);
  if (::close(fd) != 0) return -1;
  if (error != 0) errno = error;
  return error == 0 ? 0 : -1;
}

constexpr cookie_io_functions_t kFunctions = {cookie_read, cookie_write, cookie_seek, cookie_close};

// As fopen() reads it; nothing when it is not understood.
std::optional<int> flags_of(const char* mode) {
  int flags = 0;
  switch (*mode) {
    case 'r':
      flags = O_RDONLY;
      break;
    case 'w':
      flags = O_WRONLY | O_CREAT | O_TRUNC;
      break;
    case 'a':
      flags = O_WRONLY | O_CREAT | O_APPEND;
      break;
    default:
      return {};
  }
  for (const char* at = mode + 1; *at != '\0' && *at != ','; ++at) {
    if (*at == '+') flags = (flags & ~O_ACCMODE) | O_RDWR;
    if (*at == 'x') flags |= O_EXCL;
    if (*at == 'e') flags |= O_CLOEXEC;
  }
  return flags;
}

// What the functions of ours are called for: of the mode only what they know.
const char* plain_mode(int flags) {
  switch (flags & O_ACCMODE) {
    case O_RDONLY:
      return "r";
    case O_RDWR:
      return "r+";
    default:
      return "w";
  }
}

// What the program has printed and the C library has not written yet belongs to whatever the number stands
// for by then.
void move_pending(FILE* from, FILE* to) {
  ::flockfile(from);
  const std::size_t bytes = from->_mode > 0 ? 0 : ::__fpending(from);  // of wide ones these are not bytes
  if (bytes > 0) {
    ::fwrite(from->_IO_write_base, 1, bytes, to);
    ::__fpurge(from);
  }
  ::funlockfile(from);
}

FILE** standard_variable(int fd) { return fd == 0 ? &stdin : fd == 1 ? &stdout : &stderr; }

}  // namespace

Streams& Streams::current() {
  static Streams* const streams = new Streams;
  return *streams;
}

FILE* Streams::make(int fd, const char* mode) {
  FILE* const stream =
      ::fopencookie(reinterpret_cast<void*>(static_cast<std::intptr_t>(fd)), mode, kFunctions);
  if (stream == nullptr) return nullptr;
  stream->_fileno = fd;  // fileno() tells it; nothing else looks at it in such a stream
  const std::lock_guard lock(mutex_);
  all_[stream] = 0;
  return stream;
}

FILE* Streams::open(int fd, const char* mode) {
  const auto flags = flags_of(mode);
  const Use file(fd);
  if (!flags || !file) {
    errno = EINVAL;
    return nullptr;
  }
  if ((!file->can_read() && (*flags & O_ACCMODE) != O_WRONLY) ||
      (!file->can_write() && (*flags & O_ACCMODE) != O_RDONLY)) {
    errno = EINVAL;
    return nullptr;
  }
  if ((*flags & O_APPEND) != 0) {
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_APPEND);
    file->flags_changed(fd);
  }
  return make(fd, plain_mode(*flags));
}

FILE* Streams::open(const char* path, const char* mode, bool& ours) {
  const auto flags = mode != nullptr ? flags_of(mode) : std::nullopt;
  ours = flags.has_value();
  if (!ours) return nullptr;  // the C library says what it thinks of the mode
  const auto opened = names::open(AT_FDCWD, path, *flags, 0666);
  ours = opened.has_value();
  if (!ours) return nullptr;
  if (opened->error != 0) {
    errno = opened->error;
    return nullptr;
  }
  const int fd = static_cast<int>(opened->value);
  if ((*flags & O_APPEND) != 0 && (*flags & O_ACCMODE) == O_WRONLY) Use(fd)->seek(fd, 0, SEEK_END);
  FILE* const stream = make(fd, plain_mode(*flags));
  if (stream == nullptr) {
    Table::current().drop(fd);
    ::close(fd);
  }
  return stream;
}

FILE* Streams::opened(FILE* stream, const char* path, const char* mode) {
  if (!is_by_number(path)) return stream;
  const int fd = ::fileno(stream);
  if (!Process::current().placeholder_of(fd)) return stream;
  const bool ends_with_exec = (::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
  const int own = ::fcntl(fd, ends_with_exec ? F_DUPFD_CLOEXEC : F_DUPFD, 0);
  if (own < 0) return stream;
  opened_by_number(own, flags_of(mode).value_or(0));
  FILE* const made = Table::has(own) ? open(own, mode) : nullptr;
  if (made == nullptr) {
    Table::current().drop(own);
    ::close(own);
    return stream;
  }
  ::fclose(stream);
  return made;
}

bool Streams::has(FILE* stream) {
  const std::lock_guard lock(mutex_);
  return all_.contains(stream);
}

int Streams::orient(FILE* stream, int mode) {
  const std::lock_guard lock(mutex_);
  const auto found = all_.find(stream);
  if (found == all_.end()) return 0;
  if (found->second == 0 && mode != 0) found->second = mode < 0 ? -1 : 1;
  return found->second;
}

void Streams::closing(FILE* stream) {
  for (unsigned fd = 0; fd < kStandard; ++fd) {
    if (replaced_[fd].load() != stream) continue;
    replaced_[fd] = nullptr;
    if (*standard_variable(static_cast<int>(fd)) == stream)
      *standard_variable(static_cast<int>(fd)) = original_[fd];
  }
  const std::lock_guard lock(mutex_);
  all_.erase(stream);
}

void Streams::flush_all() {
  std::map<FILE*, int> all;
  {
    const std::lock_guard lock(mutex_);
    all = all_;
  }
  for (const auto& [stream, orientation] : all) ::fflush(stream);
}

void Streams::flush_standard(int fd) {
  const Uncancelled work;
  if (FILE* const stream = replaced_[fd].load()) ::fflush(stream);
}

void Streams::standard_changed(int fd) {
  const Uncancelled work;
  FILE** const variable = standard_variable(fd);
  FILE* const before = replaced_[fd].load();
  if (Table::has(fd)) {
    if (before != nullptr) return;  // another burst file: the stream goes by the number
    const Use file(fd);
    FILE* const stream = make(fd, file->can_read() ? file->can_write() ? "r+" : "r" : "w");
    if (stream == nullptr) return;
    if (fd == STDERR_FILENO) ::setvbuf(stream, nullptr, _IONBF, 0);
    if (file->can_write()) move_pending(*variable, stream);
    original_[fd] = *variable;
    replaced_[fd] = stream;
    *variable = stream;
    any_replaced_ = true;
    return;
  }
  if (before == nullptr) return;
  replaced_[fd] = nullptr;
  if (*variable == before) *variable = original_[fd];
  // Kept for whoever still has the pointer; nothing is in it any more.
  const std::lock_guard lock(mutex_);
  all_.erase(before);
}

FILE* Streams::replacement_of(FILE* stream) {
  for (unsigned fd = 0; fd < kStandard; ++fd)
    if (FILE* const now = replaced_[fd].load(); now != nullptr && stream == original_[fd]) return now;
  return stream;
}

FILE* Streams::reopen(const char* path, const char* mode, FILE* stream, bool& ours) {
  const auto flags = mode != nullptr ? flags_of(mode) : std::nullopt;
  const bool to_us = path != nullptr && Mount::current().may_hold(path) &&
                     Mount::current().locate(AT_FDCWD, path, Follow::yes).is_file();
  const bool from_us = has(stream);
  const int fd = ::fileno(stream);
  const bool standard = fd >= 0 && fd < static_cast<int>(kStandard);
  ours = to_us || from_us;
  if (!ours) return nullptr;
  if (!flags || fd < 0 || (path == nullptr && !from_us) || (!from_us && !standard) || (!to_us && !standard)) {
    errno = EINVAL;
    return nullptr;
  }
  ::fflush(stream);
  const Uncancelled work;
  if (path != nullptr) {
    const auto opened = to_us ? names::open(AT_FDCWD, path, *flags, 0666)
                              : names::Maybe(Answer{::open(path, *flags, 0666), errno});
    if (!opened || opened->value < 0) {
      errno = opened ? opened->error : EINVAL;
      return nullptr;
    }
    const int made = static_cast<int>(opened->value);
    if (made != fd) {
      if (::dup2(made, fd) < 0) return nullptr;
      if (to_us)
        Table::current().duplicate(made, fd);
      else
        Table::current().drop(fd);
      Table::current().drop(made);
      ::close(made);
    }
    descriptor_changed(fd);
  }
  FILE* const now = standard ? *standard_variable(fd) : stream;
  ::__fpurge(now);
  ::clearerr(now);
  // What a stream may do is two bits of it; these are the only ones that a new mode changes.
  constexpr int kNoReads = 4;
  constexpr int kNoWrites = 8;
  const int access = *flags & O_ACCMODE;
  now->_flags &= ~(kNoReads | kNoWrites);
  if (access == O_WRONLY) now->_flags |= kNoReads;
  if (access == O_RDONLY) now->_flags |= kNoWrites;
  now->_offset = -1;
  return now;
}

}  // namespace weir::burst::preload
