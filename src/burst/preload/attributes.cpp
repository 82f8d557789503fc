#include "burst/preload/attributes.hpp"

#include <ctime>

#include <sys/sysmacros.h>

namespace weir::burst::preload {
namespace {

SetAttributes time_of(const timespec& time) {
  SetAttributes change;
  if (time.tv_nsec == UTIME_OMIT) return change;
  timespec now = time;
  if (time.tv_nsec == UTIME_NOW) ::clock_gettime(CLOCK_REALTIME, &now);
  change.with_time = true;
  change.modified_ns = now.tv_sec * 1'000'000'000 + now.tv_nsec;
  return change;
}

}  // namespace

SetAttributes mode_change(mode_t mode) {
  SetAttributes change;
  change.with_mode = true;
  change.mode = mode & 07777u;
  return change;
}

SetAttributes owner_change(uid_t user, gid_t group) {
  SetAttributes change;
  change.with_owner = true;
  change.uid = user;
  change.gid = group;
  return change;
}

Answer change_owner(OpenFile& file, uid_t user, gid_t group) {
  struct stat now {};
  if (const Answer looked = file.stat(now); looked.error != 0) return looked;
  return file.set_attributes(owner_change(user == static_cast<uid_t>(-1) ? now.st_uid : user,
                                          group == static_cast<gid_t>(-1) ? now.st_gid : group));
}

SetAttributes time_change(const timespec* times) {
  return time_of(times != nullptr ? times[1] : timespec{0, UTIME_NOW});
}

SetAttributes time_change(const timeval* times) {
  return time_of(times != nullptr ? timespec{times[1].tv_sec, times[1].tv_usec * 1000}
                                  : timespec{0, UTIME_NOW});
}

SetAttributes time_change(const utimbuf* times) {
  return time_of(times != nullptr ? timespec{times->modtime, 0} : timespec{0, UTIME_NOW});
}

void fill_statx(const struct stat& from, struct statx& to) {
  const auto time = [](const timespec& at) {
    struct statx_timestamp stamp {};
    stamp.tv_sec = at.tv_sec;
    stamp.tv_nsec = static_cast<std::uint32_t>(at.tv_nsec);
    return stamp;
  };
  to = {};
  to.stx_mask = STATX_BASIC_STATS;
  to.stx_blksize = static_cast<std::uint32_t>(from.st_blksize);
  to.stx_nlink = static_cast<std::uint32_t>(from.st_nlink);
  to.stx_uid = from.st_uid;
  to.stx_gid = from.st_gid;
  to.stx_mode = static_cast<std::uint16_t>(from.st_mode);
  to.stx_ino = from.st_ino;
  to.stx_size = static_cast<std::uint64_t>(from.st_size);
  to.stx_blocks = static_cast<std::uint64_t>(from.st_blocks);
  to.stx_atime = time(from.st_atim);
  to.stx_ctime = time(from.st_ctim);
  to.stx_mtime = time(from.st_mtim);
  to.stx_dev_major = major(from.st_dev);
  to.stx_dev_minor = minor(from.st_dev);
}

}  // namespace weir::burst::preload
