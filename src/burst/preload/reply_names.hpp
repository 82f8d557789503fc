#pragma once

#include <cerrno>
#include <cstring>

#include <fcntl.h>

#include "burst/preload/descriptors.hpp"
#include "burst/preload/names.hpp"
#include "burst/preload/process.hpp"
#include "burst/preload/reply.hpp"
#include "burst/preload/reply_attributes.hpp"

// Calls on names.
namespace weir::burst::preload {

// The real call's descriptor, known to be no placeholder, or one that came by its number.
inline int opened(int fd, const char* path, int flags) {
  descriptor_made(fd);
  if (fd >= 0 && is_by_number(path)) opened_by_number(fd, flags);
  return fd;
}

template <>
struct Reply<Call::open> {
  static int run(auto real, const char* path, int flags, mode_t mode) {
    if (mount().may_hold(path)) [[unlikely]]
      if (const auto answer = names::open(AT_FDCWD, path, flags, mode)) return give(real, *answer);
    return opened(real(path, flags, mode), path, flags);
  }
};

template <>
struct Reply<Call::openat> {
  static int run(auto real, int directory, const char* path, int flags, mode_t mode) {
    if (mount().may_hold(directory, path)) [[unlikely]]
      if (const auto answer = names::open(directory, path, flags, mode)) return give(real, *answer);
    return opened(real(directory, path, flags, mode), path, flags);
  }
};

template <>
struct Reply<Call::__open_2> {
  static int run(auto real, const char* path, int flags) {
    if (mount().may_hold(path)) [[unlikely]]
      if (const auto answer = names::open(AT_FDCWD, path, flags, 0)) return give(real, *answer);
    return opened(real(path, flags), path, flags);
  }
};

template <>
struct Reply<Call::__openat_2> {
  static int run(auto real, int directory, const char* path, int flags) {
    if (mount().may_hold(directory, path)) [[unlikely]]
      if (const auto answer = names::open(directory, path, flags, 0)) return give(real, *answer);
    return opened(real(directory, path, flags), path, flags);
  }
};

template <>
struct Reply<Call::creat> {
  static int run(auto real, const char* path, mode_t mode) {
    constexpr int kFlags = O_CREAT | O_WRONLY | O_TRUNC;
    if (mount().may_hold(path)) [[unlikely]]
      if (const auto answer = names::open(AT_FDCWD, path, kFlags, mode)) return give(real, *answer);
    return opened(real(path, mode), path, kFlags);
  }
};

// mkstemp and its like.
inline names::Maybe temporary(char* pattern, int suffix, int flags) {
  if (!mount().may_hold(pattern) || !mount().locate(AT_FDCWD, pattern, Follow::no).is_file()) return {};
  return names::make_temporary(pattern, suffix, flags);
}
template <>
struct Reply<Call::mkstemp> {
  static int run(auto real, char* pattern) {
    const auto answer = temporary(pattern, 0, 0);
    return answer ? give(real, *answer) : opened(real(pattern), pattern, 0);
  }
};
template <>
struct Reply<Call::mkostemp> {
  static int run(auto real, char* pattern, int flags) {
    const auto answer = temporary(pattern, 0, flags);
    return answer ? give(real, *answer) : opened(real(pattern, flags), pattern, 0);
  }
};
template <>
struct Reply<Call::mkstemps> {
  static int run(auto real, char* pattern, int suffix) {
    const auto answer = temporary(pattern, suffix, 0);
    return answer ? give(real, *answer) : opened(real(pattern, suffix), pattern, 0);
  }
};
template <>
struct Reply<Call::mkostemps> {
  static int run(auto real, char* pattern, int suffix, int flags) {
    const auto answer = temporary(pattern, suffix, flags);
    return answer ? give(real, *answer) : opened(real(pattern, suffix, flags), pattern, 0);
  }
};

// Names themselves.
template <>
struct Reply<Call::unlink> {
  static int run(auto real, const char* path) {
    if (mount().may_hold(path)) [[unlikely]]
      if (const auto answer = names::unlink(AT_FDCWD, path, 0)) return give(real, *answer);
    return real(path);
  }
};
template <>
struct Reply<Call::rmdir> {
  static int run(auto real, const char* path) {
    if (mount().may_hold(path)) [[unlikely]]
      if (const auto answer = names::unlink(AT_FDCWD, path, AT_REMOVEDIR)) return give(real, *answer);
    return real(path);
  }
};
template <>
struct Reply<Call::unlinkat> {
  static int run(auto real, int directory, const char* path, int flags) {
    if (mount().may_hold(directory, path)) [[unlikely]]
      if (const auto answer = names::unlink(directory, path, flags)) return give(real, *answer);
    return real(directory, path, flags);
  }
};
template <>
struct Reply<Call::remove> {
  static int run(auto real, const char* path) {
    if (mount().may_hold(path)) [[unlikely]] {
      const bool directory = mount().locate(AT_FDCWD, path, Follow::no).is_directory();
      if (const auto answer = names::unlink(AT_FDCWD, path, directory ? AT_REMOVEDIR : 0))
        return give(real, *answer);
    }
    return real(path);
  }
};
template <>
struct Reply<Call::rename> {
  static int run(auto real, const char* from, const char* to) {
    if (mount().may_hold(from) || mount().may_hold(to)) [[unlikely]]
      if (const auto answer = names::rename(AT_FDCWD, from, AT_FDCWD, to, 0)) return give(real, *answer);
    return real(from, to);
  }
};
template <>
struct Reply<Call::renameat> {
  static int run(auto real, int old_directory, const char* from, int new_directory, const char* to) {
    if (mount().may_hold(old_directory, from) || mount().may_hold(new_directory, to)) [[unlikely]]
      if (const auto answer = names::rename(old_directory, from, new_directory, to, 0))
        return give(real, *answer);
    return real(old_directory, from, new_directory, to);
  }
};
template <>
struct Reply<Call::renameat2> {
  static int run(auto real, int old_directory, const char* from, int new_directory, const char* to,
                 unsigned flags) {
    if (mount().may_hold(old_directory, from) || mount().may_hold(new_directory, to)) [[unlikely]]
      if (const auto answer = names::rename(old_directory, from, new_directory, to, flags))
        return give(real, *answer);
    return real(old_directory, from, new_directory, to, flags);
  }
};
template <>
struct Reply<Call::link> {
  static int run(auto real, const char* from, const char* to) {
    if (mount().may_hold(from) || mount().may_hold(to)) [[unlikely]]
      if (const auto answer = names::link(AT_FDCWD, from, AT_FDCWD, to, 0)) return give(real, *answer);
    return real(from, to);
  }
};
template <>
struct Reply<Call::linkat> {
  static int run(auto real, int old_directory, const char* from, int new_directory, const char* to,
                 int flags) {
    if (mount().may_hold(old_directory, from) || mount().may_hold(new_directory, to)) [[unlikely]]
      if (const auto answer = names::link(old_directory, from, new_directory, to, flags))
        return give(real, *answer);
    return real(old_directory, from, new_directory, to, flags);
  }
};
// Directories, links and what is special are the backing directory's; a buffered name must not be there.
template <>
struct Reply<Call::mkdir> {
  static int run(auto real, const char* path, mode_t mode) {
    if (mount().may_hold(path)) [[unlikely]]
      if (const auto answer = names::make_directory(AT_FDCWD, path)) return give(real, *answer);
    return real(path, mode);
  }
};
template <>
struct Reply<Call::mkdirat> {
  static int run(auto real, int directory, const char* path, mode_t mode) {
    if (mount().may_hold(directory, path)) [[unlikely]]
      if (const auto answer = names::make_directory(directory, path)) return give(real, *answer);
    return real(directory, path, mode);
  }
};
template <>
struct Reply<Call::symlink> {
  static int run(auto real, const char* target, const char* path) {
    if (mount().may_hold(path)) [[unlikely]]
      if (const auto answer = names::make_directory(AT_FDCWD, path)) return give(real, *answer);
    return real(target, path);
  }
};
template <>
struct Reply<Call::symlinkat> {
  static int run(auto real, const char* target, int directory, const char* path) {
    if (mount().may_hold(directory, path)) [[unlikely]]
      if (const auto answer = names::make_directory(directory, path)) return give(real, *answer);
    return real(target, directory, path);
  }
};
template <>
struct Reply<Call::readlink> {
  static ssize_t run(auto real, const char* path, char* buf, size_t size) {
    if (mount().may_hold(path)) [[unlikely]]
      if (const auto answer = names::read_link(AT_FDCWD, path)) return give<ssize_t>(real, *answer);
    return real(path, buf, size);
  }
};
template <>
struct Reply<Call::readlinkat> {
  static ssize_t run(auto real, int directory, const char* path, char* buf, size_t size) {
    if (mount().may_hold(directory, path)) [[unlikely]]
      if (const auto answer = names::read_link(directory, path)) return give<ssize_t>(real, *answer);
    return real(directory, path, buf, size);
  }
};
template <>
struct Reply<Call::realpath> {
  static char* run(auto real, const char* path, char* resolved) {
    if (mount().may_hold(path)) [[unlikely]]
      if (const std::string found = names::real_path(path); !found.empty()) {
        if (resolved == nullptr) return ::strdup(found.c_str());
        std::memcpy(resolved, found.c_str(), found.size() + 1);
        return resolved;
      }
    return real(path, resolved);
  }
};
template <>
struct Reply<Call::canonicalize_file_name> {
  static char* run(auto real, const char* path) {
    if (mount().may_hold(path)) [[unlikely]]
      if (const std::string found = names::real_path(path); !found.empty()) return ::strdup(found.c_str());
    return real(path);
  }
};

// Where relative names start.
template <>
struct Reply<Call::chdir> {
  static int run(auto real, const char* path) {
    const int result = real(path);
    if (result == 0) Mount::current().directory_changed();
    return result;
  }
};
template <>
struct Reply<Call::fchdir> {
  static int run(auto real, int fd) {
    const int result = real(fd);
    if (result == 0) Mount::current().directory_changed();
    return result;
  }
};

}  // namespace weir::burst::preload
