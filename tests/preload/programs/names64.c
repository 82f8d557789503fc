// Built for 64-bit offsets: imports open64, pread64 and so on, which are the same calls.
// counts: open=1 openat=1 creat=1 pread=1 pwrite=1 lseek=1 ftruncate=1 fopen=1 depth=0
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>

#include "tiny.h"

int main(void) {
  const int fd = open("data", O_CREAT | O_RDWR, 0600);
  char byte = 0;
  MUST(fd >= 0 && pwrite(fd, "y", 1, (off_t)3 << 31) == 1 && pread(fd, &byte, 1, (off_t)3 << 31) == 1);
  say("%c %lld\n", byte, (long long)lseek(fd, 0, SEEK_END));
  MUST(ftruncate(fd, 10) == 0);
  MUST(creat("other", 0600) >= 0 && openat(AT_FDCWD, "other", O_RDONLY) >= 0);
  MUST(fopen("data", "r") != NULL);
  return 0;
}
