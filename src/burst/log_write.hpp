#pragma once

#include <cerrno>
#include <cstdint>

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/bytes.hpp"

namespace weir::burst {

// pwrite() without the C library's function around it: a return less after the system call, and neither
// intercepted nor a point at which a thread can be cancelled.
inline ssize_t log_write(int fd, ByteSpan bytes, std::uint64_t position) {
#if defined(__x86_64__) && defined(__LP64__)
  // Nothing is called once r10 is set: a call may use it.
  const std::byte* const data = bytes.data();
  const std::size_t size = bytes.size();
  long result = SYS_pwrite64;
  register auto fourth asm("r10") = position;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(static_cast<long>(fd)), "S"(data), "d"(size), "r"(fourth)
               : "rcx", "r11", "memory");
  if (result >= 0) return result;
  errno = static_cast<int>(-result);
  return -1;
#else
  static_assert(sizeof(long) == sizeof(position), "the position is one argument");
  return ::syscall(SYS_pwrite64, fd, bytes.data(), bytes.size(), static_cast<off_t>(position));
#endif
}

}  // namespace weir::burst
