// errno as the call left it: the failing ones set it, the others leave what was there.
// counts: open=3 openat=1 creat=1 close=2 read=3 write=21 pread=1 pwrite=1 lseek=2 unlink=1 execve=1
// depth=0 fopen=1
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "tiny.h"

#define SHOW(call)                                             \
  do {                                                         \
    errno = 77;                                                \
    const long show_result = (long)(call);                     \
    const int show_errno = errno;                              \
    say("%s: %ld errno %d\n", #call, show_result, show_errno); \
  } while (0)

int main(void) {
  char byte;
  SHOW(open("missing/file", O_RDONLY));
  SHOW(openat(-5, "relative", O_RDONLY));
  SHOW(creat("/proc/version", 0600));
  SHOW(close(777));
  SHOW(read(777, &byte, 1));
  SHOW(write(777, "x", 1));
  SHOW(pread(0, &byte, 1, -1));
  SHOW(pwrite(777, "x", 1, 0));
  SHOW(lseek(777, 0, SEEK_SET));
  SHOW(unlink("missing"));
  SHOW(rename("missing", "other"));
  SHOW(mkdir("/proc/x", 0700));
  SHOW(fsync(777));
  SHOW(ftruncate(777, 0));
  SHOW(dup2(777, 5));
  SHOW(readv(777, NULL, 0));
  SHOW(fopen("missing/file", "r") == NULL);
  SHOW(execve("missing", NULL, NULL));
  // What succeeds leaves errno alone.
  errno = 77;
  int fd = open("/dev/zero", O_RDWR);
  say("open %d\n", errno);
  errno = 78;
  MUST(read(fd, &byte, 1) == 1 && errno == 78);
  MUST(write(fd, &byte, 1) == 1 && errno == 78);
  MUST(lseek(fd, 0, SEEK_SET) == 0 && errno == 78);
  MUST(read(fd, &byte, 0) == 0 && errno == 78);
  MUST(close(fd) == 0 && errno == 78);
  MUST(open("/dev/null", O_RDONLY) == fd && errno == 78);
  return 0;
}
