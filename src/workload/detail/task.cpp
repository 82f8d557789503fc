#include "workload/detail/task.hpp"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace weir::workload::detail {
namespace {

Error with_advice(Error error, int number, const Opening& opening) {
  if (number == ENOSPC || number == EDQUOT)
    return error.with_remedy("free some space, or make file_size or count smaller");
  if (number == EFBIG)
    return error.with_remedy(
        "the file system or a limit (ulimit -f) allows no larger file: make file_size smaller");
  if (number == EROFS || number == EACCES || number == EPERM)
    return error.with_remedy("choose a directory you may write to");
  if (number == EINVAL && opening.sync == Sync::direct)
    return error.with_remedy("record_size may be no multiple of the device's block size: try 4k");
  return error;
}

bool no_space_left(const std::filesystem::path& file) {
  struct statvfs seen {};
  return ::statvfs(file.c_str(), &seen) == 0 && seen.f_blocks > 0 && seen.f_bavail == 0;
}

}  // namespace

Opening opening_of(const Task& task) {
  const Shape shape = shape_of(task.job.mode);
  Opening opening;
  opening.file = task.file_of(0);
  opening.begin = opening.position = task.begin();
  opening.end = task.begin() + task.extent();
  opening.moves = shape.moves;
  opening.create = !shape.existing;
  opening.shared = task.job.layout == Layout::shared;
  opening.sync = task.job.sync;
  opening.record_size = task.job.record_size.count;
  return opening;
}

int open_flags(const Opening& opening) {
  int flags = O_CLOEXEC;
  flags |= opening.moves == Moves::read ? O_RDONLY : opening.moves == Moves::write ? O_WRONLY : O_RDWR;
  if (opening.create) flags |= O_CREAT;
  if (opening.sync == Sync::osync && opening.moves != Moves::read) flags |= O_SYNC;
  if (opening.sync == Sync::direct) flags |= O_DIRECT;
  return flags;
}

Result<int> open_for(const Opening& opening) {
  const int flags = open_flags(opening);
  int fd = -1;
  do fd = ::open(opening.file.c_str(), flags, 0644);
  while (fd < 0 && errno == EINTR);
  if (fd >= 0) return fd;
  if (errno == EINVAL && opening.sync == Sync::direct)
    return Error{Errc::lacking, "its file system refuses O_DIRECT"}
        .in(opening.file.string())
        .with_remedy("choose another directory, or sync none, fsync or osync");
  return error_of(errno, "cannot open", opening);
}

Error error_of(int error, std::string_view what, const Opening& opening) {
  return with_advice(Error::from_errno(error, what).in(opening.file.string()), error, opening);
}

Error error_of(const Trouble& trouble, const Opening& opening) {
  const std::string file = opening.file.string();
  const char* const verb = trouble.writing ? "write" : "read";
  switch (trouble.kind) {
    case Trouble::Kind::ends_early:
      return Error{Errc::io, fmt::format("ends before the record at offset {}", trouble.offset)}
          .in(file)
          .with_remedy("something else changed the file while it was measured");
    case Trouble::Kind::differs:
      return Error{Errc::bad_data,
                   fmt::format("offset {}: expected byte {:#04x}, found {:#04x}", trouble.mismatch.offset,
                               trouble.mismatch.expected, trouble.mismatch.found)}
          .in(file)
          .with_remedy("the storage returned other data than was written");
    case Trouble::Kind::fault:
      if (no_space_left(opening.file))
        return error_of(ENOSPC, fmt::format("cannot {} the mapped record at offset {}", verb, trouble.offset),
                        opening);
      return Error{Errc::io, fmt::format("the mapped record at offset {} could not be {} (SIGBUS)",
                                         trouble.offset, trouble.writing ? "written" : "read")}
          .in(file)
          .with_remedy("the device failed, or something cut the file short");
    case Trouble::Kind::none:
    case Trouble::Kind::failed:
      break;
  }
  return error_of(trouble.error,
                  fmt::format("cannot {} {} bytes at offset {}", verb, opening.record_size, trouble.offset),
                  opening);
}

}  // namespace weir::workload::detail
