#pragma once

#include <sys/stat.h>

#include "burst/file_protocol.hpp"

namespace weir::burst {

// Numbers of files have a bit that numbers of inodes do not reach.
inline std::uint64_t inode_of(FileId file) { return file.value | std::uint64_t{1} << 62; }

// As stat() tells it.
inline void fill_stat(const Attributes& from, FileId file, struct stat& to, std::uint32_t names = 1) {
  const auto time = [](std::int64_t ns) { return timespec{ns / 1'000'000'000, ns % 1'000'000'000}; };
  to = {};
  to.st_ino = file ? inode_of(file) : 0;
  to.st_size = static_cast<off_t>(from.size);
  to.st_mode = from.mode | (from.kind == FileKind::directory ? S_IFDIR : S_IFREG);
  to.st_uid = from.uid;
  to.st_gid = from.gid;
  to.st_nlink = names;
  to.st_blksize = 4096;
  to.st_blocks = static_cast<blkcnt_t>((from.size + 511) / 512);
  to.st_mtim = time(from.modified_ns);
  to.st_ctim = time(from.changed_ns);
  to.st_atim = to.st_mtim;
}

}  // namespace weir::burst
