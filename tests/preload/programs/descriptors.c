// Descriptors: duplicates, commands, locks, ranges.
// counts: fcntl=11 ioctl=3 flock=2 lockf=2 dup=1 dup2=2 dup3=1 close_range=2 closefrom=1
// name_to_handle_at=1 open_by_handle_at=1 open=2 depth=0
#include <fcntl.h>
#include <sys/file.h>
#include <sys/ioctl.h>

#include "tiny.h"

int main(void) {
  const int fd = open("file", O_CREAT | O_RDWR, 0600);
  TELL(dup(fd));
  TELL(dup2(fd, 20));
  TELL(dup2(-1, 21));
  TELL(dup3(fd, fd, 0));
  TELL(fcntl(fd, F_DUPFD, 30));
  TELL(fcntl(fd, F_DUPFD_CLOEXEC, 30));
  TELL(fcntl64(31, F_GETFD));
  TELL(fcntl(fd, F_SETFD, FD_CLOEXEC));
  TELL(fcntl(fd, F_GETFL) & O_ACCMODE);
  TELL(fcntl(fd, F_SETFL, O_APPEND));
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 10};
  TELL(fcntl(fd, F_SETLK, &lock));
  lock.l_type = F_RDLCK;
  TELL(fcntl(fd, F_GETLK, &lock));
  say("%d\n", lock.l_type == F_UNLCK);
  TELL(fcntl64(fd, F_OFD_SETLK, &lock));
  TELL(fcntl(fd, F_GETPIPE_SZ));
  TELL(fcntl(-1, F_SETOWN, 1));
  int ready = 0;
  TELL(ioctl(fd, FIONREAD, &ready));
  TELL(ioctl(fd, FIOCLEX));
  TELL(ioctl(-1, FIONREAD, &ready));
  TELL(flock(fd, LOCK_EX | LOCK_NB));
  TELL(flock(-1, LOCK_SH));
  TELL(lockf(fd, F_TEST, 5));
  TELL(lockf64(fd, F_ULOCK, 5));
  union {
    struct file_handle handle;
    char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
  } named = {.handle.handle_bytes = 0};
  int mount = 0;
  TELL(name_to_handle_at(AT_FDCWD, "missing", &named.handle, &mount, 0));
  TELL(open_by_handle_at(-1, &named.handle, O_RDONLY));
  TELL(close_range(30, 40, 0));
  TELL(close_range(40, 30, 0));
  closefrom(10);
  TELL(open("/dev/null", O_RDONLY));
  return 0;
}
