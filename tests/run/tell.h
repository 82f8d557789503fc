// How the test programs of this directory tell what calls gave.
#pragma once

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

// Where the number itself is no matter.
#define TELL_OK(call)                                          \
  do {                                                         \
    errno = 0;                                                 \
    const int good = (long long)(call) != -1;                  \
    const int error = errno;                                   \
    say("%s %s", #call, good ? "ok" : strerrorname_np(error)); \
  } while (0)

// What is in a file that is open for reading, as far as it is short.
static inline void content(int fd) {
  char bytes[256];
  const ssize_t got = pread(fd, bytes, sizeof bytes, 0);
  printf("  content %zd:", got);
  for (ssize_t i = 0; i < got; ++i) {
    if (bytes[i] >= ' ' && bytes[i] < 127)
      putchar(bytes[i]);
    else
      printf("\\%02x", (unsigned char)bytes[i]);
  }
  putchar('\n');
  fflush(stdout);
}
