/* Names: made, linked, moved, looked at and removed, by name and by directory; working directories that
 * change. */
#include "tiny.h"

int main(void) {
  struct stat st;
  char target[100];
  IGNORE(mkdir("dir", 0755));
  IGNORE(mkdir("dir", 0755)); /* EEXIST */
  const int dir = open("dir", O_RDONLY | O_DIRECTORY);
  const int fd = openat(dir, "file", O_RDWR | O_CREAT | O_EXCL, 0640);
  IGNORE(write(fd, "text", 4));
  IGNORE(stat("dir/file", &st));
  IGNORE(lstat("dir/file", &st));
  IGNORE(fstat(fd, &st));
  IGNORE(fstatat(dir, "file", &st, AT_SYMLINK_NOFOLLOW));
  IGNORE(stat("dir/file/none", &st)); /* ENOTDIR */
  struct statx more;
  IGNORE(statx(dir, "file", 0, STATX_SIZE, &more));
  IGNORE(access("dir/file", R_OK | W_OK));
  IGNORE(access("missing", F_OK));
  IGNORE(link("dir/file", "hard"));
  IGNORE(symlink("dir/file", "soft"));
  IGNORE(symlink("dangling target", "dir/dangling"));
  IGNORE(readlink("soft", target, sizeof target));
  IGNORE(readlinkat(dir, "dangling", target, 5));
  IGNORE(open("dir/dangling", O_RDONLY)); /* ENOENT */
  IGNORE(chmod("hard", 0600));
  IGNORE(fchmod(fd, 0644));
  const struct timespec times[2] = {{1000, 5}, {2000, 6}};
  IGNORE(utimensat(dir, "file", times, 0));
  IGNORE(futimens(fd, times));
  IGNORE(rename("hard", "dir/moved"));
  IGNORE(renameat(dir, "moved", AT_FDCWD, "back"));
  IGNORE(renameat2(AT_FDCWD, "back", dir, "file", RENAME_NOREPLACE)); /* EEXIST */
  IGNORE(mkdirat(dir, "inner", 0700));
  IGNORE(mkfifo("fifo", 0600));
  IGNORE(chdir("dir"));
  IGNORE(truncate("file", 2));
  IGNORE(unlink("file"));
  IGNORE(unlink("file")); /* ENOENT */
  IGNORE(fchdir(dir));
  IGNORE(rmdir("inner"));
  IGNORE(chdir(".."));
  IGNORE(unlinkat(dir, "dangling", 0));
  IGNORE(rmdir("dir"));
  IGNORE(rmdir("dir")); /* ENOENT */
  IGNORE(unlink("soft"));
  IGNORE(unlink("fifo"));
  IGNORE(close(fd));
  IGNORE(close(dir));
  return 0;
}
