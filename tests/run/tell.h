// How the test programs of this directory tell what calls gave.
#pragma once

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static inline void say(const char* format, ...) {
  va_list list;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
  putchar('\n');
  fflush(stdout);
}

// What a call gave, and its error.
#define TELL(call)                                                                                      \
  do {                                                                                                  \
    errno = 0;                                                                                          \
    const long long gave = (long long)(call);                                                           \
    const int error = errno;                                                                            \
    say("%s = %lld%s%s", #call, gave, gave == -1 ? " " : "", gave == -1 ? strerrorname_np(error) : ""); \
  } while (0)
