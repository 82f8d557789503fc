// Modes of new files, O_TMPFILE, sizes of zero and beyond 4 GiB, vectors, duplicates.
// counts: open=9 openat=2 creat=1 pread=2 pwrite=2 readv=1 writev=1 dup=1 dup2=1 dup3=1 rename=1
//
// counts: unlink=1 mkdir=1 ftruncate=1 fsync=1 fdatasync=1 depth=0
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "tiny.h"

static void show_mode(const char* path) {
  struct stat seen;
  MUST(stat(path, &seen) == 0);
  say("%s: mode %o, %lld bytes\n", path, (unsigned)seen.st_mode, (long long)seen.st_size);
}

int main(void) {
  umask(0);
  int fd = open("created", O_CREAT | O_RDWR | O_EXCL, 0640);
  MUST(fd == 3);
  show_mode("created");
  MUST(open("created", O_CREAT | O_EXCL, 0600) == -1 && errno == EEXIST);
  MUST(mkdir("dir", 0751) == 0);
  show_mode("dir");
  int dir = open("dir", O_RDONLY | O_DIRECTORY);
  MUST(dir == 4);
  MUST(openat(dir, "inside", O_WRONLY | O_CREAT, 0604) == 5);
  show_mode("dir/inside");
  MUST(openat(dir, "inside", O_RDONLY) == 6);
  MUST(creat("by_creat", 0666) == 7);
  show_mode("by_creat");

  // The mode of O_TMPFILE is only seen when it is linked or asked for; a file system may not have it at all.
  int unnamed = open(".", O_TMPFILE | O_RDWR, 0614);
  if (unnamed >= 0) {
    struct stat seen;
    MUST(fstat(unnamed, &seen) == 0);
    say("unnamed: mode %o\n", (unsigned)seen.st_mode);
  } else {
    say("unnamed: errno %d\n", errno);
  }

  MUST(write(fd, "hello world", 11) == 11);
  MUST(write(fd, "", 0) == 0);
  static char text[64];  // not on the stack, which is less than a huge read below the end of user memory
  MUST(pread(fd, text, 5, 6) == 5);
  say("%s\n", text);
  const volatile size_t huge = (size_t)1 << 30;  // volatile: the compiler rightly warns of it
  MUST(pread(fd, text, huge, 11) == 0);
  MUST(pwrite(fd, "x", 1, (off_t)5 << 30) == 1);
  say("end at %lld\n", (long long)lseek(fd, 0, SEEK_END));
  MUST(ftruncate(fd, 11) == 0 && lseek(fd, 0, SEEK_END) == 11);
  MUST(pwrite(fd, "J", 1, 0) == 1);
  struct iovec parts[2] = {{"ab", 2}, {"cde", 3}};
  MUST(writev(fd, parts, 2) == 5);
  MUST(lseek(fd, 0, SEEK_SET) == 0);
  char left[4] = {0};
  char right[32] = {0};
  struct iovec holes[2] = {{left, 3}, {right, 31}};
  say("%zd\n", readv(fd, holes, 2));
  show_mode("created");

  MUST(fsync(fd) == 0 && fdatasync(fd) == 0);
  MUST(dup(fd) > fd && dup2(fd, 40) == 40 && dup3(fd, 41, O_CLOEXEC) == 41);
  say("cloexec: %d %d\n", fcntl(40, F_GETFD), fcntl(41, F_GETFD));
  MUST(rename("created", "renamed") == 0 && unlink("by_creat") == 0);
  for (int i = 0; i < 3; ++i) MUST(open("/dev/null", O_RDONLY) >= 0);
  MUST(open("renamed", O_RDONLY | O_APPEND) >= 0);
  MUST(open("nowhere/file", O_WRONLY | O_CREAT, 0600) == -1);
  return 7;
}
