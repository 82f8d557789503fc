#pragma once

#include <cstdint>

#include <sys/syscall.h>
#include <unistd.h>

namespace weir::transport::detail {

// Rings an eventfd. By syscall(): no point at which a thread can be cancelled. A full counter rings already.
inline void ring(int bell) {
  const std::uint64_t one = 1;
  ::syscall(SYS_write, bell, &one, sizeof one);
}

}  // namespace weir::transport::detail
