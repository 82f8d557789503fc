#include "burst/shared_memory.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weir::burst {

SharedMemory::~SharedMemory() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

Result<SharedMemory> SharedMemory::map(UniqueFd fd, const std::filesystem::path& path, int protection) {
  struct stat found {};
  if (::fstat(fd.get(), &found) != 0) return Error::from_errno(errno, "cannot look at").in(path.string());
  const auto bytes = static_cast<std::size_t>(found.st_size);
  if (bytes == 0) return Error{Errc::bad_data, "is empty"}.in(path.string());
  void* const at = ::mmap(nullptr, bytes, protection, MAP_SHARED, fd.get(), 0);
  if (at == MAP_FAILED) return Error::from_errno(errno, "cannot map").in(path.string());
  return SharedMemory(std::move(fd), {static_cast<std::byte*>(at), bytes});
}

Result<SharedMemory> SharedMemory::create(const std::filesystem::path& path, std::size_t bytes) {
  std::filesystem::path unfinished = path;
  unfinished += ".new";
  UniqueFd fd(::open(unfinished.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!fd) return Error::from_errno(errno, "cannot make").in(unfinished.string());
  int error = ::posix_fallocate(fd.get(), 0, static_cast<off_t>(bytes));
  if (error == 0 && ::rename(unfinished.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(unfinished.c_str());
    return Error::from_errno(error, "cannot make").in(path.string());
  }
  return map(std::move(fd), path, PROT_READ | PROT_WRITE);
}

Result<SharedMemory> SharedMemory::open(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd) return Error::from_errno(errno, "cannot open").in(path.string());
  return map(std::move(fd), path, PROT_READ | PROT_WRITE);
}

Result<SharedMemory> SharedMemory::open_to_read(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return Error::from_errno(errno, "cannot open").in(path.string());
  return map(std::move(fd), path, PROT_READ);
}

bool SharedMemory::is_at(const std::filesystem::path& path) const {
  struct stat mapped {};
  struct stat named {};
  return ::fstat(fd_.get(), &mapped) == 0 && ::stat(path.c_str(), &named) == 0 &&
         mapped.st_ino == named.st_ino && mapped.st_dev == named.st_dev;
}

// Others have it for themselves only for the moment in which they ask.
bool SharedMemory::hold() {
  while (::flock(fd_.get(), LOCK_SH) != 0)
    if (errno != EINTR) return false;
  return true;
}

bool SharedMemory::is_held_elsewhere() const {
  if (::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) return true;
  ::flock(fd_.get(), LOCK_UN);
  return false;
}

}  // namespace weir::burst
