#pragma once

#include <optional>
#include <string>

#include <sys/stat.h>

#include "burst/preload/mount.hpp"
#include "burst/preload/open_file.hpp"

// Calls on names. Nothing comes back where the name is not the file system's and the program's own call has
// to be made.
namespace weir::burst::preload::names {

using Maybe = std::optional<Answer>;

Maybe open(int directory, const char* path, int flags, mode_t mode);
Maybe stat(int directory, const char* path, struct stat& status, Follow follow);
Maybe access(int directory, const char* path, int mode, int flags);
Maybe truncate(const char* path, off_t size);
Maybe unlink(int directory, const char* path, int flags);
Maybe rename(int from_directory, const char* from, int to_directory, const char* to, unsigned flags);
Maybe link(int from_directory, const char* from, int to_directory, const char* to, int flags);
Maybe make_directory(int directory, const char* path);  // only whether it may be made
Maybe set_attributes(int directory, const char* path, const SetAttributes& change, Follow follow);
Maybe read_link(int directory, const char* path);
Maybe make_temporary(char* pattern, int suffix, int flags);
// Extended attributes: there are none.
Maybe no_attributes(const char* path, Follow follow, int error);
// The name by which directories are known, for a buffered file; empty when it is not the file system's.
std::string real_path(const char* path);

// A program that lies in the directory is brought out, so that the kernel finds it.
void before_executing(int directory, const char* path);

// A name that leads to a file of the file system's right now.
bool is_buffered(const Where& where);

}  // namespace weir::burst::preload::names
