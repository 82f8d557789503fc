#include "campaign/detail/writer_lock.hpp"

#include <cerrno>
#include <map>
#include <mutex>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weir::campaign::detail {
namespace {

// POSIX locks do not exclude the process itself: what it holds, by device and inode of the lock file. The
// number of the process tells a forked child that its parent holds them.
struct Held {
  std::mutex mutex;
  std::map<std::pair<dev_t, ino_t>, pid_t> files;
};
Held& held() {
  static Held all;
  return all;
}

Error taken(const std::string& who) {
  return Error{Errc::unreadable, fmt::format("{} writes to it", who)}.with_remedy(
      "wait for it, or use another store");
}

}  // namespace

Result<WriterLock> WriterLock::take(const std::filesystem::path& store) {
  std::filesystem::path file = store;
  file += "-lock";
  for (;;) {
    struct stat there {};
    if (::stat(file.c_str(), &there) == 0) {
      // Opening and closing it again would drop a lock of ours.
      const std::lock_guard guard(held().mutex);
      const auto found = held().files.find({there.st_dev, there.st_ino});
      if (found != held().files.end() && found->second == ::getpid()) return taken("this process");
    }
    UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (fd.get() < 0) return Error::from_errno(errno, fmt::format("cannot create '{}'", file.string()));
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    if (::fcntl(fd.get(), F_SETLK, &lock) != 0) {
      if (errno != EACCES && errno != EAGAIN)
        return Error::from_errno(errno, fmt::format("cannot lock '{}'", file.string()));
      if (::fcntl(fd.get(), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0)
        return taken(fmt::format("another process ({})", lock.l_pid));
      return taken("another process");
    }
    // The holder before may have removed the file between our opening and locking it.
    struct stat locked {};
    if (::fstat(fd.get(), &locked) != 0 || ::stat(file.c_str(), &there) != 0 ||
        locked.st_ino != there.st_ino || locked.st_dev != there.st_dev)
      continue;
    const std::lock_guard guard(held().mutex);
    held().files.insert_or_assign({locked.st_dev, locked.st_ino}, ::getpid());
    return WriterLock(std::move(fd), std::move(file));
  }
}

WriterLock::WriterLock(UniqueFd fd, std::filesystem::path file)
    : fd_(std::move(fd)), file_(std::move(file)), owner_(::getpid()) {}

WriterLock::~WriterLock() {
  if (!fd_ || owner_ != ::getpid()) return;
  struct stat locked {};
  const std::lock_guard guard(held().mutex);
  if (::fstat(fd_.get(), &locked) == 0) held().files.erase({locked.st_dev, locked.st_ino});
  ::unlink(file_.c_str());
}

}  // namespace weir::campaign::detail
