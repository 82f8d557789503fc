// What files are, asked and changed in every way.
// counts: stat=2 fstat=2 lstat=2 fstatat=2 statx=1 statfs=2 fstatfs=2 statvfs=2 fstatvfs=2 pathconf=1
// fpathconf=1 ftok=1 access=2 faccessat=1 euidaccess=2 chmod=1 fchmod=1 lchmod=1 fchmodat=1 chown=1
// fchown=1 lchown=1 fchownat=1 utime=1 utimes=1 lutimes=1 futimes=1 futimesat=1 utimensat=1 futimens=1
// umask=2 setxattr=1 lsetxattr=1 fsetxattr=1 getxattr=1 lgetxattr=1 fgetxattr=1 listxattr=1 llistxattr=1
// flistxattr=1 removexattr=1 lremovexattr=1 fremovexattr=1 depth=0
#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <utime.h>

#include "tiny.h"

int main(void) {
  TELL(umask(027));
  TELL(umask(022));
  const int fd = open("file", O_CREAT | O_RDWR, 0644);
  MUST(fd >= 0 && write(fd, "12345", 5) == 5);

  TELL(chmod("file", 0600));
  TELL(fchmod(fd, 0640));
  TELL(fchmodat(AT_FDCWD, "missing", 0600, 0));
  TELL(lchmod("missing", 0600));
  TELL(chown("file", (uid_t)-1, (gid_t)-1));
  TELL(fchown(fd, (uid_t)-1, (gid_t)-1));
  TELL(lchown("file", (uid_t)-1, (gid_t)-1));
  TELL(fchownat(AT_FDCWD, "", (uid_t)-1, (gid_t)-1, 0));
  TELL(utime("file", &(struct utimbuf){1, 2}));
  const struct timeval times[2] = {{3, 0}, {4, 0}};
  TELL(utimes("file", times));
  TELL(lutimes("file", times));
  TELL(futimes(fd, times));
  TELL(futimesat(AT_FDCWD, "file", times));
  const struct timespec exact[2] = {{5, 0}, {6, 7}};
  TELL(utimensat(AT_FDCWD, "file", exact, AT_SYMLINK_NOFOLLOW));
  TELL(futimens(fd, (const struct timespec[2]){{8, 0}, {9, 10}}));

  struct stat seen;
  TELL(stat("file", &seen));
  say("%o %lld %lld.%ld\n", (unsigned)seen.st_mode, (long long)seen.st_size, (long long)seen.st_mtim.tv_sec,
      seen.st_mtim.tv_nsec);
  TELL(fstat(fd, &seen));
  TELL(lstat("file", &seen));
  TELL(fstatat(AT_FDCWD, "missing", &seen, 0));
  struct stat64 seen64;
  TELL(stat64("file", &seen64));
  say("%o %lld\n", (unsigned)seen64.st_mode, (long long)seen64.st_size);
  TELL(fstat64(-1, &seen64));
  TELL(lstat64("missing", &seen64));
  TELL(fstatat64(AT_FDCWD, "file", &seen64, AT_SYMLINK_NOFOLLOW));
  struct statx extended;
  TELL(statx(AT_FDCWD, "file", 0, STATX_SIZE, &extended));
  say("%llu\n", (unsigned long long)extended.stx_size);
  struct statfs system;
  struct statfs64 system64;
  TELL(statfs(".", &system));
  TELL(statfs64("missing", &system64));
  TELL(fstatfs(fd, &system));
  TELL(fstatfs64(-1, &system64));
  struct statvfs volume;
  struct statvfs64 volume64;
  TELL(statvfs(".", &volume));
  TELL(statvfs64("missing", &volume64));
  TELL(fstatvfs(fd, &volume));
  TELL(fstatvfs64(-1, &volume64));
  TELL(pathconf(".", _PC_NAME_MAX));
  TELL(fpathconf(fd, _PC_LINK_MAX) > 0);
  TELL(ftok("missing", 1));
  TELL(access("file", R_OK));
  TELL(access("missing", F_OK));
  TELL(faccessat(AT_FDCWD, "file", X_OK, AT_EACCESS));
  TELL(euidaccess("file", W_OK));
  TELL(eaccess("missing", W_OK));

  char value[16] = {0};
  TELL(setxattr("file", "user.a", "one", 3, 0));
  TELL(lsetxattr("file", "user.b", "two", 3, XATTR_CREATE));
  TELL(fsetxattr(fd, "user.c", "three", 5, XATTR_REPLACE));
  TELL(getxattr("file", "user.a", value, sizeof value));
  TELL(lgetxattr("file", "user.b", value, sizeof value));
  TELL(fgetxattr(fd, "user.c", value, sizeof value));
  TELL(listxattr("file", NULL, 0));
  TELL(llistxattr("file", value, sizeof value));
  TELL(flistxattr(fd, value, 1));
  TELL(removexattr("file", "user.a"));
  TELL(lremovexattr("file", "user.b"));
  TELL(fremovexattr(fd, "user.c"));
  return 0;
}
