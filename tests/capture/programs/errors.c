/* Calls that fail or do less than asked; each result must be in the trace. */
#include "tiny.h"

int main(void) {
  char data[100] = {0};
  const char* volatile nowhere = (const char*)8; /* volatile: the compiler must not know */
  IGNORE(open("missing", O_RDONLY));
  const int fd = open("short", O_RDWR | O_CREAT | O_EXCL, 0600);
  IGNORE(open("short", O_RDWR | O_CREAT | O_EXCL, 0600)); /* EEXIST */
  IGNORE(write(fd, data, 10));
  IGNORE(pread(fd, data, 100, 0)); /* 10 */
  IGNORE(pread(fd, data, 100, 7)); /* 3 */
  IGNORE(read(fd, data, 100));     /* 0 */
  IGNORE(pread(fd, data, 4, -5));  /* EINVAL */
  IGNORE(lseek(fd, -1, SEEK_SET));
  IGNORE(close(fd));
  IGNORE(read(fd, data, 10)); /* EBADF, of a number once known */
  IGNORE(write(123, data, 10));
  IGNORE(close(-1));
  IGNORE(fsync(124));
  IGNORE(open(nowhere, O_RDONLY)); /* EFAULT */
  IGNORE(unlink(nowhere));
  IGNORE(mkdir(nowhere, 0700));
  struct stat st;
  IGNORE(stat(nowhere, &st));
  IGNORE(rename("short", nowhere));
  const int reading = open("short", O_RDONLY);
  IGNORE(write(reading, data, 1));           /* EBADF: not open for writing */
  IGNORE(read(reading, (char*)nowhere, 10)); /* EFAULT */
  IGNORE(ftruncate(reading, 3));             /* EINVAL */
  IGNORE(close(reading));
  IGNORE(open("short/below", O_RDONLY)); /* ENOTDIR */
  IGNORE(open("", O_RDONLY));            /* ENOENT */
  static char name[5000];
  memset(name, 'n', sizeof name - 1);
  IGNORE(open(name, O_RDONLY)); /* ENAMETOOLONG */
  name[300] = 0;
  IGNORE(open(name, O_RDONLY | O_CREAT, 0600));
  return 0;
}
