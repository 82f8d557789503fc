#pragma once

#include <fcntl.h>

#include "base/unique_fd.hpp"

namespace weir {

// Where the numbers begin that code inside an application takes for itself.
inline constexpr int kFirstOwnFd = 1000;

// The same open file under a number that applications do not use; where there is none, as it is.
inline UniqueFd moved_up(UniqueFd fd) {
  if (!fd || fd.get() >= kFirstOwnFd) return fd;
  const int high = ::fcntl(fd.get(), F_DUPFD_CLOEXEC, kFirstOwnFd);
  return high < 0 ? std::move(fd) : UniqueFd(high);
}

}  // namespace weir
