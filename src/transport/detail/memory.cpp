#include "transport/detail/memory.hpp"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weir::transport::detail {

Mapping::~Mapping() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

Result<Mapping> Mapping::map(int fd, std::size_t bytes, Access access) {
  if (bytes == 0) return Mapping();
  struct stat status {};
  if (::fstat(fd, &status) != 0) return Error::from_errno(errno, "cannot look at shared memory");
  if (static_cast<std::size_t>(status.st_size) < bytes)
    return Error{Errc::bad_data,
                 fmt::format("shared memory has {} bytes where {} were said", status.st_size, bytes)};
  const int protection = access == Access::write ? PROT_READ | PROT_WRITE : PROT_READ;
  void* const at = ::mmap(nullptr, bytes, protection, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) return Error::from_errno(errno, "cannot map shared memory");
  return Mapping({static_cast<std::byte*>(at), bytes});
}

Result<UniqueFd> make_memory(const char* name, std::size_t bytes) {
  UniqueFd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return Error::from_errno(errno, "cannot make shared memory");
  if (::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0)
    return Error::from_errno(errno, fmt::format("cannot make {} bytes of shared memory", bytes));
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
    return Error::from_errno(errno, "cannot seal shared memory");
  return fd;
}

Result<void> seal_against_writers(int fd) {
#ifdef F_SEAL_FUTURE_WRITE
  // Linux before 5.1 does not know it: then clients are trusted with the page.
  if (::fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) != 0 && errno != EINVAL)
    return Error::from_errno(errno, "cannot seal shared memory");
#endif
  return {};
}

}  // namespace weir::transport::detail
