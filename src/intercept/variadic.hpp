#pragma once

#include <cstdarg>

#include <fcntl.h>
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

}  // namespace weir
