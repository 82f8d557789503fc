// Makes, changes and lists names in the directory it is given and prints what each call gave, as calls.c
// does.
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "tell.h"

static void list(const char* path) {
  struct dirent** found = NULL;
  const int count = scandir(path, &found, NULL, alphasort);
  printf("  in %s:", path);
  for (int i = 0; i < count; ++i) {
    const char* const name = found[i]->d_name;
    if (strncmp(name, ".weir", 5) != 0)
      printf(" %s%s", name, found[i]->d_type == DT_DIR ? "/" : found[i]->d_type == DT_LNK ? "@" : "");
    free(found[i]);
  }
  free(found);
  putchar('\n');
  fflush(stdout);
}

static int touch(const char* name, const char* text) {
  const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0) return -1;
  const ssize_t wrote = write(fd, text, strlen(text));
  close(fd);
  return (int)wrote;
}

static void names(void) {
  say("-- names");
  TELL(mkdir("n", 0755));
  TELL(mkdir("n", 0755));
  TELL(chdir("n"));
  TELL(touch("a", "a"));
  TELL(touch("b", "bb"));
  TELL(mkdir("a", 0755));
  TELL(rename("a", "b"));
  TELL(rename("a", "c"));
  list(".");
  TELL(mkdir("sub", 0755));
  TELL(touch("sub/x", "x"));
  TELL(rename("b", "sub"));
  TELL(rename("sub", "b"));
  TELL(rename("sub", "sub/inside"));
  TELL(rmdir("sub"));
  TELL(rmdir("b"));
  TELL(unlink("sub"));
  TELL(rename("sub", "moved"));
  list("moved");
  TELL(access("moved/x", F_OK));
  TELL(access("sub/x", F_OK));
  TELL(renameat2(AT_FDCWD, "b", AT_FDCWD, "moved/x", RENAME_NOREPLACE));
  TELL(symlink("b", "link"));
  char target[64] = "";
  TELL(readlink("link", target, sizeof target));
  TELL(readlink("b", target, sizeof target));
  TELL(touch("link", "through"));
  struct stat status;
  TELL(lstat("link", &status));
  say("  a link %d", S_ISLNK(status.st_mode));
  TELL(stat("b", &status));
  say("  size %d", (int)status.st_size);
  TELL(symlink("b", "b"));
  TELL(open("link", O_RDONLY | O_NOFOLLOW));
  TELL(symlink("loop", "loop"));
  TELL(open("loop", O_RDONLY));
  TELL(mkfifo("fifo", 0600));
  list(".");
  char path[PATH_MAX];
  char* const resolved = realpath("link", path);
  say("  realpath ends in %s", resolved != NULL ? strrchr(resolved, '/') : "nothing");
  say("  cwd ends in %s", getcwd(path, sizeof path) != NULL ? strrchr(path, '/') : "nothing");
  glob_t globbed;
  say("  glob %d", glob("*", 0, NULL, &globbed) == 0 ? (int)globbed.gl_pathc : -1);
  TELL(remove("fifo"));
  TELL(remove("link"));
  TELL(remove("loop"));
  const int open_file = open("b", O_RDWR);
  TELL(unlink("b"));
  TELL(write(open_file, "still there", 11));
  content(open_file);
  TELL(touch("b", "another"));
  content(open_file);
  close(open_file);
  DIR* const directory = opendir(".");
  int count = 0;
  while (readdir(directory) != NULL) ++count;
  touch("late", "late");
  rewinddir(directory);
  int again = 0;
  while (readdir(directory) != NULL) ++again;
  say("  %d entries, %d after rewinding", count, again);
  closedir(directory);
  TELL(unlink("moved/x"));
  TELL(rmdir("moved"));
  TELL(unlink("b"));
  TELL(unlink("late"));
  TELL(unlink("late"));
  TELL(chdir(".."));
  TELL(rmdir("n"));
}

// As an earlier run has left it: nobody sees it made.
static int leave(const char* name) {
  const long fd = syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT, 0600);
  return fd < 0 ? -1 : (int)syscall(SYS_close, fd);
}

static void replacements(void) {
  say("-- renames onto what is there");
  mkdir("r", 0755);
  TELL(chdir("r"));
  mkdir("tmp", 0755);
  mkdir("results", 0755);
  TELL(touch("tmp/x", "new"));
  TELL(leave("results/x"));
  TELL(rename("tmp", "results"));
  list("tmp");
  struct stat status;
  TELL(stat("results/x", &status));
  say("  size %d", (int)status.st_size);
  TELL(symlink("results", "link"));
  TELL(rename("tmp", "link"));
  TELL(rename("tmp", "tmp"));
  list("tmp");
  TELL(mkdir("empty", 0700));
  TELL(chmod("tmp", 0777));
  TELL(rename("tmp", "empty"));
  TELL(stat("empty", &status));
  say("  mode %o", status.st_mode);
  list("empty");
  TELL(rename("missing", "link"));
  TELL(lstat("link", &status));
  TELL(rename("empty/x", "link"));
  TELL(lstat("link", &status));
  say("  a link %d size %d", S_ISLNK(status.st_mode), (int)status.st_size);
  TELL(symlink("nowhere", "lock"));
  TELL(open("lock", O_WRONLY | O_CREAT | O_EXCL, 0600));
  TELL(access("nowhere", F_OK));
  TELL(chdir(".."));
}

// What was written by now has as many bytes.
static int is_filled(const struct dirent* entry) {
  struct stat status;
  return entry->d_type == DT_REG && stat(entry->d_name, &status) == 0 && status.st_size > 0;
}

static int by_size(const struct dirent** a, const struct dirent** b) {
  struct stat one;
  struct stat two;
  if (stat((*a)->d_name, &one) != 0 || stat((*b)->d_name, &two) != 0)
    say("  %s or %s is not there", (*a)->d_name, (*b)->d_name);
  return one.st_size < two.st_size ? -1 : one.st_size > two.st_size;
}

// Functions of the program that scandir calls do I/O of their own.
static void selecting(void) {
  say("-- selecting");
  TELL(mkdir("select", 0700));
  TELL(chdir("select"));
  const char* const names[] = {"empty", "long", "short"};
  for (int i = 0; i < 3; ++i) {
    const int fd = open(names[i], O_WRONLY | O_CREAT, 0600);
    write(fd, "text", i == 0 ? 0 : i == 1 ? 4 : 2);
    close(fd);
  }
  struct dirent** found = NULL;
  for (int i = 0; i < 2; ++i) {
    const int count = i == 0 ? scandir(".", &found, is_filled, by_size)
                             : scandirat(AT_FDCWD, ".", &found, is_filled, by_size);
    say("  %d", count);
    for (int j = 0; j < count; ++j) {
      say("  %s", found[j]->d_name);
      free(found[j]);
    }
    free(found);
  }
  TELL(scandir("missing", &found, is_filled, by_size));
  TELL(scandirat(AT_FDCWD, "missing", &found, is_filled, by_size));
  TELL(chdir(".."));
}

int main(int argc, char** argv) {
  if (argc != 2 || chdir(argv[1]) != 0) return 2;
  setvbuf(stdout, NULL, _IOFBF, 1 << 16);
  names();
  replacements();
  selecting();
  return 0;
}
