#pragma once

#include <cerrno>

#include <linux/fs.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/ioctl.h>

#include "base/moved_up.hpp"
#include "base/uncancelled.hpp"
#include "burst/preload/descriptors.hpp"
#include "burst/preload/locks.hpp"
#include "burst/preload/mount.hpp"
#include "burst/preload/process.hpp"
#include "burst/preload/reply.hpp"
#include "burst/preload/streams.hpp"

// Calls that make, duplicate, lock and close descriptors.
namespace weir::burst::preload {

template <>
struct Reply<Call::close> {
  static int run(auto real, int fd) {
    if (!Table::has(fd)) [[likely]] {
      if (fd >= kFirstOwnFd && Process::current().owns(fd)) return give(real, Answer::failed(EBADF));
      Mount::current().forget_descriptor(fd);
      return real(fd);
    }
    ::pthread_testcancel();
    const Uncancelled work;
    const int error = before_close(fd);
    const int result = real(fd);
    after_close(fd);
    return error != 0 ? give(real, Answer::failed(error)) : result;
  }
};

template <>
struct Reply<Call::close_range> {
  static int run(auto real, unsigned first, unsigned last, int flags) {
    constexpr int kCloseOnExec = 4;  // CLOSE_RANGE_CLOEXEC
    if ((flags & kCloseOnExec) != 0) return real(first, last, flags);
    for (const int own : before_close_range(first, last)) {
      const auto stays = static_cast<unsigned>(own);
      if (stays > first)
        if (const int result = real(first, stays - 1, flags); result != 0) return result;
      first = stays + 1;
    }
    return first <= last ? real(first, last, flags) : 0;
  }
};

template <>
struct Reply<Call::closefrom> {
  static void run(auto real, int first) {
    const auto range = real.template instead<Call::close_range, int(unsigned int, unsigned int, int)>();
    unsigned from = first < 0 ? 0 : static_cast<unsigned>(first);
    for (const int own : before_close_range(from, ~0U)) {
      if (static_cast<unsigned>(own) > from) range(from, static_cast<unsigned>(own) - 1, 0);
      from = static_cast<unsigned>(own) + 1;
    }
    range(from, ~0U, 0);
  }
};

template <>
struct Reply<Call::dup> {
  static int run(auto real, int fd) {
    const int made = real(fd);
    descriptor_made(made, fd);
    return made;
  }
};

inline bool may_replace(int fd) { return fd < kFirstOwnFd || !Process::current().owns(fd); }

template <>
struct Reply<Call::dup2> {
  static int run(auto real, int fd, int to) {
    if (!may_replace(to)) return give(real, Answer::failed(EBUSY));
    if (fd != to) Streams::before_change(to);
    const int made = real(fd, to);
    if (fd != to) descriptor_made(made, fd);
    return made;
  }
};

template <>
struct Reply<Call::dup3> {
  static int run(auto real, int fd, int to, int flags) {
    if (!may_replace(to)) return give(real, Answer::failed(EBUSY));
    if (fd != to) Streams::before_change(to);
    const int made = real(fd, to, flags);
    descriptor_made(made, fd);
    return made;
  }
};

template <>
struct Reply<Call::fcntl> {
  static int run(auto real, int fd, int command, long value) {
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) {
      const int made = real(fd, command, value);
      descriptor_made(made, fd);
      return made;
    }
    const Use file(fd, Use::Cancelled::inside);
    if (!file) [[likely]]
      return real(fd, command, value);
    switch (command) {
      case F_SETFL: {
        const int result = real(fd, command, value);
        file->flags_changed(fd);
        return result;
      }
      case F_GETLK:
      case F_SETLK:
      case F_SETLKW:
      case F_OFD_GETLK:
      case F_OFD_SETLK:
      case F_OFD_SETLKW: {
        auto& given = *reinterpret_cast<struct flock*>(value);
        struct flock lock = given;
        const Answer locked = record_lock(*file, fd, command, lock);
        if (locked.error == 0 && (command == F_GETLK || command == F_OFD_GETLK)) given = lock;
        return give(real, locked);
      }
      default:
        return real(fd, command, value);
    }
  }
};

template <>
struct Reply<Call::lockf> {
  static int run(auto real, int fd, int command, off_t length) {
    const Use file(fd, Use::Cancelled::inside);
    if (!file) return real(fd, command, length);
    struct flock lock {};
    lock.l_type = command == F_ULOCK ? F_UNLCK : F_WRLCK;
    lock.l_whence = SEEK_CUR;
    lock.l_len = length;
    switch (command) {
      case F_ULOCK:
      case F_TLOCK:
        return give(real, record_lock(*file, fd, F_SETLK, lock));
      case F_LOCK:
        return give(real, record_lock(*file, fd, F_SETLKW, lock));
      case F_TEST: {
        const Answer asked = record_lock(*file, fd, F_GETLK, lock);
        return give(real, asked.error == 0 && lock.l_type != F_UNLCK ? Answer::failed(EACCES) : asked);
      }
      default:
        return give(real, Answer::failed(EINVAL));
    }
  }
};

template <>
struct Reply<Call::flock> {
  static int run(auto real, int fd, int operation) {
    const Use file(fd);
    return file ? give(real, whole_lock(*file, fd, operation)) : real(fd, operation);
  }
};

template <>
struct Reply<Call::ioctl> {
  static int run(auto real, int fd, unsigned long request, long value) {
    if (request == FICLONE && (Table::has(fd) || Table::has(static_cast<int>(value))))
      return give(real, Answer::failed(EOPNOTSUPP));
    const Use file(fd);
    if (!file || request != FIONREAD) return real(fd, request, value);
    struct stat status {};
    const Answer here = file->seek(fd, 0, SEEK_CUR);
    const Answer looked = file->stat(status);
    if (looked.error != 0) return give(real, looked);
    *reinterpret_cast<int*>(value) =
        static_cast<int>(std::clamp<off_t>(status.st_size - here.value, 0, INT_MAX));
    return 0;
  }
};

}  // namespace weir::burst::preload
