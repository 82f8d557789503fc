#pragma once

#include <cerrno>
#include <optional>
#include <utility>

#include <dirent.h>
#include <glob.h>

#include "burst/preload/directories.hpp"
#include "burst/preload/mount.hpp"
#include "burst/preload/reply.hpp"
#include "burst/preload/walks.hpp"

// Reading directories: what is behind the buffer and what is in it.
namespace weir::burst::preload {

inline Listing* listing_of(DIR* directory) {
  return Directories::any() ? Directories::current().find(directory) : nullptr;
}

template <>
struct Reply<Call::opendir> {
  static DIR* run(auto real, const char* path) {
    std::optional<Listing> listing;
    if (Mount::current().may_hold(path))
      if (const int error = Directories::look(AT_FDCWD, path, listing); error != 0) {
        real.set_errno(error);
        return nullptr;
      }
    DIR* const made = real(path);
    if (made != nullptr) Mount::current().forget_descriptor(::dirfd(made));
    if (made != nullptr && listing) Directories::current().opened(made, std::move(*listing));
    return made;
  }
};
template <>
struct Reply<Call::fdopendir> {
  static DIR* run(auto real, int fd) {
    std::optional<Listing> listing;
    if (Mount::current().may_hold(fd, ""))
      if (const int error = Directories::look(fd, listing); error != 0) {
        real.set_errno(error);
        return nullptr;
      }
    DIR* const made = real(fd);
    if (made != nullptr && listing) Directories::current().opened(made, std::move(*listing));
    return made;
  }
};
template <>
struct Reply<Call::closedir> {
  static int run(auto real, DIR* directory) {
    if (directory != nullptr) Mount::current().forget_descriptor(::dirfd(directory));
    if (Directories::any()) Directories::current().closed(directory);
    return real(directory);
  }
};
template <>
struct Reply<Call::readdir> {
  static dirent* run(auto real, DIR* directory) {
    Listing* const listing = listing_of(directory);
    if (listing == nullptr) return real(directory);
    while (!listing->at_buffered) {
      dirent* const entry = real(directory);
      if (entry == nullptr) break;
      if (listing->shows(*entry)) return entry;
    }
    dirent* const entry = listing->next_buffered();
    if (entry == nullptr && listing->error != 0) real.set_errno(listing->error);
    return entry;
  }
};
template <>
struct Reply<Call::readdir_r> {
  static int run(auto real, DIR* directory, dirent* buf, dirent** found) {
    Listing* const listing = listing_of(directory);
    if (listing == nullptr) return real(directory, buf, found);
    while (!listing->at_buffered) {
      const int error = real(directory, buf, found);
      if (error != 0) return error;
      if (*found == nullptr) break;
      if (listing->shows(**found)) return 0;
    }
    dirent* const entry = listing->next_buffered();
    *found = entry != nullptr ? buf : nullptr;
    if (entry != nullptr) *buf = *entry;
    return entry != nullptr ? 0 : listing->error;
  }
};
template <>
struct Reply<Call::rewinddir> {
  static void run(auto real, DIR* directory) {
    if (Listing* const listing = listing_of(directory)) listing->refresh();
    real(directory);
  }
};
template <>
struct Reply<Call::telldir> {
  static long run(auto real, DIR* directory) {
    const Listing* const listing = listing_of(directory);
    return listing != nullptr && listing->at_buffered
               ? Directories::kBufferedPosition + static_cast<long>(listing->next)
               : real(directory);
  }
};
template <>
struct Reply<Call::seekdir> {
  static void run(auto real, DIR* directory, long position) {
    Listing* const listing = listing_of(directory);
    if (listing == nullptr) return real(directory, position);
    listing->at_buffered = position < 0;
    listing->next =
        listing->at_buffered ? static_cast<std::size_t>(position - Directories::kBufferedPosition) : 0;
    if (!listing->at_buffered) real(directory, position);
  }
};

using Select = int (*)(const dirent*);
using Compare = int (*)(const dirent**, const dirent**);
// In place of scandir and scandirat, on the program's side: what it selects and compares with may call what
// it likes.
int scan_names(const char* path, dirent*** list, Select select, Compare compare);
int scan_names_at(int directory, const char* path, dirent*** list, Select select, Compare compare);
bool is_scanned_here(int directory, const char* path);

template <>
struct Reply<Call::scandir> {
  static int run(auto real, const char* path, dirent*** list, Select select, Compare compare) {
    if (Mount::current().may_hold(path) && is_scanned_here(AT_FDCWD, path))
      return real.by(&scan_names)(path, list, select, compare);
    return real(path, list, select, compare);
  }
};
template <>
struct Reply<Call::scandirat> {
  static int run(auto real, int directory, const char* path, dirent*** list, Select select, Compare compare) {
    if (Mount::current().may_hold(directory, path) && is_scanned_here(directory, path))
      return real.by(&scan_names_at)(directory, path, list, select, compare);
    return real(directory, path, list, select, compare);
  }
};

template <>
struct Reply<Call::ftw> {
  static int run(auto real, const char* path, walks::Visit visit, int handles) {
    return walks::meets_mount(path) ? real.by(&walks::visit_names)(path, visit, handles)
                                    : real(path, visit, handles);
  }
};
template <>
struct Reply<Call::nftw> {
  static int run(auto real, const char* path, walks::VisitWith visit, int handles, int flags) {
    return walks::meets_mount(path) ? real.by(&walks::visit_names_with)(path, visit, handles, flags)
                                    : real(path, visit, handles, flags);
  }
};
template <>
struct Reply<Call::fts_open> {
  static FTS* run(auto real, char* const* paths, int options, walks::Compare compare) {
    return walks::meets_mount(paths) ? real.by(&walks::open)(paths, options, compare)
                                     : real(paths, options, compare);
  }
};
template <>
struct Reply<Call::fts_read> {
  static FTSENT* run(auto real, FTS* walk) {
    return walks::is_ours(walk) ? real.by(&walks::read)(walk) : real(walk);
  }
};
template <>
struct Reply<Call::fts_children> {
  static FTSENT* run(auto real, FTS* walk, int options) {
    return walks::is_ours(walk) ? real.by(&walks::children)(walk, options) : real(walk, options);
  }
};
template <>
struct Reply<Call::fts_close> {
  static int run(auto real, FTS* walk) {
    return walks::is_ours(walk) ? real.by(&walks::close)(walk) : real(walk);
  }
};

// Puts in the functions that the C library is to look with in place of its own, which nobody sees.
void look_with_ours(glob_t& found);

template <>
struct Reply<Call::glob> {
  static int run(auto real, const char* pattern, int flags, int (*failed)(const char*, int), glob_t* found) {
    if (!Mount::current().is_on() || found == nullptr || (flags & GLOB_ALTDIRFUNC) != 0)
      return real(pattern, flags, failed, found);
    look_with_ours(*found);
    return real(pattern, flags | GLOB_ALTDIRFUNC, failed, found);
  }
};

}  // namespace weir::burst::preload
