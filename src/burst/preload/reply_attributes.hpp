#pragma once

#include <cerrno>

#include <fcntl.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <utime.h>

#include "burst/preload/attributes.hpp"
#include "burst/preload/names.hpp"
#include "burst/preload/reply.hpp"

// Calls that tell and change what files are.
namespace weir::burst::preload {

inline const Mount& mount() { return Mount::current(); }

// What files are.
template <Follow F>
struct StatReply {
  static int run(auto real, const char* path, struct stat* buf) {
    if (mount().may_hold(path)) [[unlikely]]
      if (const auto answer = names::stat(AT_FDCWD, path, *buf, F)) return give(real, *answer);
    return real(path, buf);
  }
  static int run(auto real, int version, const char* path, struct stat* buf) {
    if (mount().may_hold(path)) [[unlikely]]
      if (const auto answer = names::stat(AT_FDCWD, path, *buf, F)) return give(real, *answer);
    return real(version, path, buf);
  }
};
template <>
struct Reply<Call::stat> : StatReply<Follow::yes> {};
template <>
struct Reply<Call::lstat> : StatReply<Follow::no> {};
template <>
struct Reply<Call::__xstat> : StatReply<Follow::yes> {};
template <>
struct Reply<Call::__lxstat> : StatReply<Follow::no> {};

template <>
struct Reply<Call::fstat> {
  static int run(auto real, int fd, struct stat* buf) {
    const Use file(fd);
    return file ? give(real, file->stat(*buf)) : real(fd, buf);
  }
};
template <>
struct Reply<Call::__fxstat> {
  static int run(auto real, int version, int fd, struct stat* buf) {
    const Use file(fd);
    return file ? give(real, file->stat(*buf)) : real(version, fd, buf);
  }
};

// A name relative to a directory, or with AT_EMPTY_PATH the descriptor itself.
inline names::Maybe stat_at(int directory, const char* path, struct stat& status, int flags) {
  if (path != nullptr && *path == '\0' && (flags & AT_EMPTY_PATH) != 0) {
    const Use file(directory);
    return file ? names::Maybe(file->stat(status)) : names::Maybe();
  }
  if (!mount().may_hold(directory, path)) return {};
  return names::stat(directory, path, status, (flags & AT_SYMLINK_NOFOLLOW) != 0 ? Follow::no : Follow::yes);
}

template <>
struct Reply<Call::fstatat> {
  static int run(auto real, int directory, const char* path, struct stat* buf, int flags) {
    const auto answer = stat_at(directory, path, *buf, flags);
    return answer ? give(real, *answer) : real(directory, path, buf, flags);
  }
};
template <>
struct Reply<Call::__fxstatat> {
  static int run(auto real, int version, int directory, const char* path, struct stat* buf, int flags) {
    const auto answer = stat_at(directory, path, *buf, flags);
    return answer ? give(real, *answer) : real(version, directory, path, buf, flags);
  }
};
template <>
struct Reply<Call::statx> {
  static int run(auto real, int directory, const char* path, int flags, unsigned mask, struct statx* buf) {
    struct stat status {};
    const auto answer = stat_at(directory, path, status, flags);
    if (!answer) return real(directory, path, flags, mask, buf);
    if (answer->error == 0) fill_statx(status, *buf);
    return give(real, *answer);
  }
};

template <>
struct Reply<Call::access> {
  static int run(auto real, const char* path, int mode) {
    if (mount().may_hold(path)) [[unlikely]]
      if (const auto answer = names::access(AT_FDCWD, path, mode, 0)) return give(real, *answer);
    return real(path, mode);
  }
};
template <>
struct Reply<Call::euidaccess> {
  static int run(auto real, const char* path, int mode) {
    if (mount().may_hold(path)) [[unlikely]]
      if (const auto answer = names::access(AT_FDCWD, path, mode, AT_EACCESS)) return give(real, *answer);
    return real(path, mode);
  }
};
template <>
struct Reply<Call::faccessat> {
  static int run(auto real, int directory, const char* path, int mode, int flags) {
    if (mount().may_hold(directory, path)) [[unlikely]]
      if (const auto answer = names::access(directory, path, mode, flags)) return give(real, *answer);
    return real(directory, path, mode, flags);
  }
};

// Of the file system: that of the directory.
template <class Buffer>
struct DescriptorFacts {
  static int run(auto real, int fd, Buffer* buf) { return real(Table::has(fd) ? mount().root() : fd, buf); }
};
template <>
struct Reply<Call::fstatfs> : DescriptorFacts<struct statfs> {};
template <>
struct Reply<Call::fstatvfs> : DescriptorFacts<struct statvfs> {};
template <class Buffer>
struct NameFacts {
  static int run(auto real, const char* path, Buffer* buf) {
    if (mount().may_hold(path)) [[unlikely]]
      if (names::is_buffered(mount().locate(AT_FDCWD, path, Follow::yes)))
        return real(mount().absolute("").c_str(), buf);
    return real(path, buf);
  }
};
template <>
struct Reply<Call::statfs> : NameFacts<struct statfs> {};
template <>
struct Reply<Call::statvfs> : NameFacts<struct statvfs> {};
template <>
struct Reply<Call::pathconf> {
  static long run(auto real, const char* path, int name) {
    if (mount().may_hold(path)) [[unlikely]]
      if (names::is_buffered(mount().locate(AT_FDCWD, path, Follow::yes)))
        return real(mount().absolute("").c_str(), name);
    return real(path, name);
  }
};

template <>
struct Reply<Call::truncate> {
  static int run(auto real, const char* path, off_t length) {
    if (mount().may_hold(path)) [[unlikely]]
      if (const auto answer = names::truncate(path, length)) return give(real, *answer);
    return real(path, length);
  }
};

// Mode, owner, times.
inline names::Maybe change_at(int directory, const char* path, const SetAttributes& change, int flags) {
  if (path != nullptr && *path == '\0' && (flags & AT_EMPTY_PATH) != 0) {
    const Use file(directory);
    return file ? names::Maybe(file->set_attributes(change)) : names::Maybe();
  }
  if (!mount().may_hold(directory, path)) return {};
  return names::set_attributes(directory, path, change,
                               (flags & AT_SYMLINK_NOFOLLOW) != 0 ? Follow::no : Follow::yes);
}

template <>
struct Reply<Call::chmod> {
  static int run(auto real, const char* path, mode_t mode) {
    const auto answer = change_at(AT_FDCWD, path, mode_change(mode), 0);
    return answer ? give(real, *answer) : real(path, mode);
  }
};
template <>
struct Reply<Call::fchmodat> {
  static int run(auto real, int directory, const char* path, mode_t mode, int flags) {
    const auto answer = change_at(directory, path, mode_change(mode), flags);
    return answer ? give(real, *answer) : real(directory, path, mode, flags);
  }
};
template <>
struct Reply<Call::fchmod> {
  static int run(auto real, int fd, mode_t mode) {
    const Use file(fd);
    return file ? give(real, file->set_attributes(mode_change(mode))) : real(fd, mode);
  }
};
template <>
struct Reply<Call::chown> {
  static int run(auto real, const char* path, uid_t user, gid_t group) {
    const auto answer = change_at(AT_FDCWD, path, owner_change(user, group), 0);
    return answer ? give(real, *answer) : real(path, user, group);
  }
};
template <>
struct Reply<Call::lchown> {
  static int run(auto real, const char* path, uid_t user, gid_t group) {
    const auto answer = change_at(AT_FDCWD, path, owner_change(user, group), AT_SYMLINK_NOFOLLOW);
    return answer ? give(real, *answer) : real(path, user, group);
  }
};
template <>
struct Reply<Call::fchownat> {
  static int run(auto real, int directory, const char* path, uid_t user, gid_t group, int flags) {
    const auto answer = change_at(directory, path, owner_change(user, group), flags);
    return answer ? give(real, *answer) : real(directory, path, user, group, flags);
  }
};
template <>
struct Reply<Call::fchown> {
  static int run(auto real, int fd, uid_t user, gid_t group) {
    const Use file(fd);
    return file ? give(real, change_owner(*file, user, group)) : real(fd, user, group);
  }
};
template <>
struct Reply<Call::utimensat> {
  static int run(auto real, int directory, const char* path, const timespec* times, int flags) {
    if (path == nullptr) {  // futimens by another name
      const Use file(directory);
      return file ? give(real, file->set_attributes(time_change(times)))
                  : real(directory, path, times, flags);
    }
    const auto answer = change_at(directory, path, time_change(times), flags);
    return answer ? give(real, *answer) : real(directory, path, times, flags);
  }
};
template <>
struct Reply<Call::futimens> {
  static int run(auto real, int fd, const timespec* times) {
    const Use file(fd);
    return file ? give(real, file->set_attributes(time_change(times))) : real(fd, times);
  }
};
template <>
struct Reply<Call::futimes> {
  static int run(auto real, int fd, const timeval* times) {
    const Use file(fd);
    return file ? give(real, file->set_attributes(time_change(times))) : real(fd, times);
  }
};
template <>
struct Reply<Call::utimes> {
  static int run(auto real, const char* path, const timeval* times) {
    const auto answer = change_at(AT_FDCWD, path, time_change(times), 0);
    return answer ? give(real, *answer) : real(path, times);
  }
};
template <>
struct Reply<Call::lutimes> {
  static int run(auto real, const char* path, const timeval* times) {
    const auto answer = change_at(AT_FDCWD, path, time_change(times), AT_SYMLINK_NOFOLLOW);
    return answer ? give(real, *answer) : real(path, times);
  }
};
template <>
struct Reply<Call::futimesat> {
  static int run(auto real, int directory, const char* path, const timeval* times) {
    const auto answer = change_at(directory, path, time_change(times), 0);
    return answer ? give(real, *answer) : real(directory, path, times);
  }
};
template <>
struct Reply<Call::utime> {
  static int run(auto real, const char* path, const utimbuf* times) {
    const auto answer = change_at(AT_FDCWD, path, time_change(times), 0);
    return answer ? give(real, *answer) : real(path, times);
  }
};
template <>
struct Reply<Call::umask> {
  static mode_t run(auto real, mode_t mode) {
    Mount::current().umask_changed(mode & 0777u);
    return real(mode);
  }
};

// Extended attributes: none, and none can be given.
template <Follow F, int kError>
struct NoAttributes {
  template <class... Rest>
  static auto run(auto real, const char* path, Rest... rest) {
    using R = decltype(real(path, rest...));
    if (mount().may_hold(path)) [[unlikely]]
      if (const auto answer = names::no_attributes(path, F, kError)) return give<R>(real, *answer);
    return real(path, rest...);
  }
};
template <>
struct Reply<Call::setxattr> : NoAttributes<Follow::yes, ENOTSUP> {};
template <>
struct Reply<Call::lsetxattr> : NoAttributes<Follow::no, ENOTSUP> {};
template <>
struct Reply<Call::getxattr> : NoAttributes<Follow::yes, ENODATA> {};
template <>
struct Reply<Call::lgetxattr> : NoAttributes<Follow::no, ENODATA> {};
template <>
struct Reply<Call::listxattr> : NoAttributes<Follow::yes, ENOTSUP> {};
template <>
struct Reply<Call::llistxattr> : NoAttributes<Follow::no, ENOTSUP> {};
template <>
struct Reply<Call::removexattr> : NoAttributes<Follow::yes, ENODATA> {};
template <>
struct Reply<Call::lremovexattr> : NoAttributes<Follow::no, ENODATA> {};
template <int kError>
struct NoDescriptorAttributes {
  template <class... Rest>
  static auto run(auto real, int fd, Rest... rest) {
    using R = decltype(real(fd, rest...));
    return Table::has(fd) ? give<R>(real, Answer::failed(kError)) : real(fd, rest...);
  }
};
template <>
struct Reply<Call::fsetxattr> : NoDescriptorAttributes<ENOTSUP> {};
template <>
struct Reply<Call::fgetxattr> : NoDescriptorAttributes<ENODATA> {};
template <>
struct Reply<Call::flistxattr> : NoDescriptorAttributes<ENOTSUP> {};
template <>
struct Reply<Call::fremovexattr> : NoDescriptorAttributes<ENODATA> {};

}  // namespace weir::burst::preload
