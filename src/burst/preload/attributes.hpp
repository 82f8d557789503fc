#pragma once

#include <sys/stat.h>
#include <sys/time.h>
#include <utime.h>

#include "burst/preload/open_file.hpp"

// What calls that change or tell attributes bring along, in the file system's terms.
namespace weir::burst::preload {

SetAttributes mode_change(mode_t mode);
// Who is not named (-1) is filled in by whoever knows the file.
SetAttributes owner_change(uid_t user, gid_t group);
Answer change_owner(OpenFile& file, uid_t user, gid_t group);
// Of two times the second; none means now.
SetAttributes time_change(const timespec* times);
SetAttributes time_change(const timeval* times);
SetAttributes time_change(const utimbuf* times);

void fill_statx(const struct stat& from, struct statx& to);

}  // namespace weir::burst::preload
