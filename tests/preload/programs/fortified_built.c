// Built with _FORTIFY_SOURCE=2 and optimisation, as distributions build their programs.
// counts: __read_chk=1 __pread_chk=1 __fgets_chk=1 __fread_chk=1 __readlink_chk=1 __getcwd_chk=1 __open_2=1
// __openat_2=1 __fprintf_chk=1 __printf_chk=1 __realpath_chk=1 open=1 depth=0
#include <fcntl.h>
#include <limits.h>

#include "tiny.h"

// What the compiler can not know, so that it keeps the check.
static volatile size_t few = 4;

int main(void) {
  char text[16];
  char path[PATH_MAX];
  volatile int flags = O_RDWR;
  const int fd = open("file", O_CREAT | O_RDWR, 0600);
  MUST(fd >= 0 && write(fd, "line\nmore", 9) == 9 && lseek(fd, 0, SEEK_SET) == 0);
  TELL(read(fd, text, few));
  TELL(pread(fd, text, few, 1));
  TELL(open("file", flags));
  TELL(openat(AT_FDCWD, "file", flags));
  FILE* const file = fopen("file", "r");
  TELL(fgets(text, (int)few + 1, file) == text);
  TELL(fread(text, 1, few, file));
  TELL(readlink("file", text, few));
  TELL(getcwd(path, few) == NULL);
  TELL(realpath("missing", path) == NULL);
  TELL(fprintf(stderr, "%zu\n", few));
  TELL(printf("%zu of %s\n", few, text + 15));
  return 0;
}
