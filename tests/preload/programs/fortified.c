// What a program built with _FORTIFY_SOURCE imports: __read_chk, __open_2, __fprintf_chk and so on.
// counts: __read_chk=1 __pread_chk=1 __open_2=1 __openat_2=1 __fread_chk=1 __fprintf_chk=2 depth=0
#include "tiny.h"

#include <fcntl.h>

int main(int argc, char** argv) {
  (void)argv;
  const volatile int flags = O_RDONLY;
  const volatile size_t count = (size_t)argc * 4;
  char buffer[16] = {0};
  const int fd = open("/proc/self/maps", flags);
  MUST(fd >= 0 && read(fd, buffer, count) == 4 && pread(fd, buffer, count, 1) == 4);
  const int at = openat(AT_FDCWD, "/dev/zero", flags);
  FILE* const zero = fdopen(at, "r");
  MUST(zero != NULL && fread(buffer, 1, count, zero) == 4);
  MUST(fprintf(stdout, "%s %d %.3f\n", "formatted", 42, 2.5) > 0);
  MUST(fprintf(stderr, "%g %g %g %g %g %g %g %g %g\n", .1, .2, .3, .4, .5, .6, .7, .8, .9) > 0);
  return 0;
}
