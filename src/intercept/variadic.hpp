#pragma once

#include <cstdarg>
#include <cstddef>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "calls/call.hpp"

namespace weir {

// How to take the last argument of a @variadic row out of C's '...', by hand per call. Reading an argument
// that was not passed is undefined, so each asks the named arguments first. A row without one here does not
// compile.
template <Call C, class... Named>
auto take_last(va_list rest, Named... named);

// O_TMPFILE contains the bit of O_DIRECTORY, so it is compared whole.
constexpr bool takes_mode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

namespace detail {
inline mode_t take_mode(va_list rest, int flags) {
  return takes_mode(flags) ? va_arg(rest, mode_t) : mode_t{0};
}
}  // namespace detail

template <Call C>
  requires(C == Call::open)
mode_t take_last(va_list rest, const char*, int flags) {
  return detail::take_mode(rest, flags);
}

template <Call C>
  requires(C == Call::openat)
mode_t take_last(va_list rest, int, const char*, int flags) {
  return detail::take_mode(rest, flags);
}

// What fcntl takes after its command: nothing and int are told from the rest, which are pointers, so that a
// trace holds no stale register. A command that is not known here is read as the C library reads it.
template <Call C>
  requires(C == Call::fcntl)
long take_last(va_list rest, int, int command) {
  switch (command) {
    case F_GETFD:
    case F_GETFL:
    case F_GETOWN:
    case F_GETSIG:
    case F_GETLEASE:
    case F_GETPIPE_SZ:
    case F_GET_SEALS:
      return 0;
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
    case F_SETFD:
    case F_SETFL:
    case F_SETOWN:
    case F_SETSIG:
    case F_SETLEASE:
    case F_NOTIFY:
    case F_SETPIPE_SZ:
    case F_ADD_SEALS:
      return va_arg(rest, int);
    default:
      return va_arg(rest, long);
  }
}

template <Call C>
  requires(C == Call::ioctl)
long take_last(va_list rest, int, unsigned long request) {
  switch (request) {
    case FIOCLEX:
    case FIONCLEX:
    case TIOCNOTTY:
    case TIOCEXCL:
    case TIOCNXCL:
      return 0;
    case FICLONE:
      return va_arg(rest, int);
    default:
      return va_arg(rest, long);
  }
}

template <Call C>
  requires(C == Call::mremap)
void* take_last(va_list rest, void*, std::size_t, std::size_t, int flags) {
  return (flags & MREMAP_FIXED) != 0 ? va_arg(rest, void*) : nullptr;
}

// MPI itself looks at none of it. A library for profiling may; one argument reaches it.
template <Call C>
  requires(C == Call::MPI_Pcontrol)
long take_last(va_list rest, int) {
  return va_arg(rest, long);
}

// The strings of execl's '...' up to the null pointer that ends them; `first` is named and may be it.
inline std::size_t count_strings(const char* first, va_list rest) {
  std::size_t count = 0;
  for (const char* next = first; next != nullptr; next = va_arg(rest, const char*)) ++count;
  return count;
}

// Into `made`, with the null pointer. exec takes char* const* and writes to none of them.
inline void collect_strings(char** made, const char* first, va_list rest) {
  for (const char* next = first; next != nullptr; next = va_arg(rest, const char*))
    *made++ = const_cast<char*>(next);
  *made = nullptr;
}

}  // namespace weir
