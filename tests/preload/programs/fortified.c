// What a program built with _FORTIFY_SOURCE imports. Called by their own names, as not all compilers
// make them.
//
// counts: __read_chk=1 __pread_chk=2 __open_2=2 __openat_2=2 __fread_chk=1 __fprintf_chk=2 depth=0
#include <fcntl.h>

#include "tiny.h"

extern int __open_2(const char*, int);
extern int __open64_2(const char*, int);
extern int __openat_2(int, const char*, int);
extern int __openat64_2(int, const char*, int);
extern ssize_t __read_chk(int, void*, size_t, size_t);
extern ssize_t __pread_chk(int, void*, size_t, off_t, size_t);
extern ssize_t __pread64_chk(int, void*, size_t, off_t, size_t);
extern size_t __fread_chk(void*, size_t, size_t, size_t, FILE*);
extern int __fprintf_chk(FILE*, int, const char*, ...);

int main(void) {
  char buffer[16] = {0};
  const int fd = __open_2("/proc/self/maps", O_RDONLY);
  MUST(fd == 3 && __open64_2("/missing/file", O_RDONLY) == -1 && errno == ENOENT);
  MUST(__read_chk(fd, buffer, 4, sizeof buffer) == 4);
  MUST(__pread_chk(fd, buffer, 4, 1, sizeof buffer) == 4 &&
       __pread64_chk(fd, buffer, 4, 1, sizeof buffer) == 4);
  const int zero = __openat_2(AT_FDCWD, "/dev/zero", O_RDONLY);
  MUST(zero == 4 && __openat64_2(-1, "relative", O_RDONLY) == -1 && errno == EBADF);
  FILE* const stream = fdopen(zero, "r");
  MUST(stream != NULL && __fread_chk(buffer, sizeof buffer, 1, 4, stream) == 4);
  MUST(__fprintf_chk(stdout, 1, "%s %d %.3f\n", "formatted", 42, 2.5) > 0);
  MUST(__fprintf_chk(stderr, 1, "%g %g %g %g %g %g %g %g %g\n", .1, .2, .3, .4, .5, .6, .7, .8, .9) > 0);
  return 0;
}
