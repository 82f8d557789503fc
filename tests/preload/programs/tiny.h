// For the tiny programs: printing without stdio, and stopping on what must not happen.
#pragma once

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// One write() to standard output, so that every line is one intercepted call.
__attribute__((format(printf, 1, 2), unused)) static void say(const char* format, ...) {
  char line[512];
  va_list values;
  va_start(values, format);
  const int length = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  if (length > 0 && write(STDOUT_FILENO, line, (size_t)length) != length) _exit(99);
}

#define MUST(condition)                                                 \
  do {                                                                  \
    if (!(condition)) {                                                 \
      const int must_errno = errno;                                     \
      say("line %d: %s: errno %d\n", __LINE__, #condition, must_errno); \
      _exit(98);                                                        \
    }                                                                   \
  } while (0)

// Says what a call returned and what it left in errno. Not all may be allowed where the tests run; what
// counts is that the answer is the same.
#define TELL(call)                                          \
  do {                                                      \
    errno = 0;                                              \
    const long long tell_result = (long long)(call);        \
    say("%s: %lld, errno %d\n", #call, tell_result, errno); \
  } while (0)
