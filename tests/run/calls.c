// Makes the calls of a file system one by one in the directory it is given and prints what each gave. Run on
// a plain directory and through Weir it must print the same (tests/run/calls.py).
#include <aio.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <linux/falloc.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tell.h"

extern char** environ;
static const char* self;

// Where the number itself is no matter.
#define TELL_OK(call)                                          \
  do {                                                         \
    errno = 0;                                                 \
    const int good = (long long)(call) != -1;                  \
    const int error = errno;                                   \
    say("%s %s", #call, good ? "ok" : strerrorname_np(error)); \
  } while (0)

static void content(int fd) {
  char bytes[256];
  const ssize_t got = pread(fd, bytes, sizeof bytes, 0);
  printf("  content %zd:", got);
  for (ssize_t i = 0; i < got; ++i) {
    if (bytes[i] >= ' ' && bytes[i] < 127)
      putchar(bytes[i]);
    else
      printf("\\%02x", (unsigned char)bytes[i]);
  }
  putchar('\n');
  fflush(stdout);
}

static void transfers(void) {
  say("-- transfers");
  int fd = open("t", O_RDWR | O_CREAT | O_TRUNC, 0640);
  char buffer[64] = "";
  TELL(write(fd, "0123456789", 10));
  TELL(pwrite(fd, "ab", 2, 4));
  TELL(lseek(fd, 0, SEEK_CUR));
  const struct iovec out[] = {{"VEC", 3}, {"", 0}, {"TOR", 3}};
  TELL(writev(fd, out, 3));
  TELL(pwritev(fd, out, 3, 20));
  TELL(pwritev2(fd, out, 3, -1, RWF_DSYNC));
  TELL(pwritev2(fd, out, 1, 0, RWF_APPEND));
  TELL(lseek(fd, 0, SEEK_CUR));
  TELL(pwritev2(fd, out, 1, -1, RWF_APPEND));
  TELL(lseek(fd, 0, SEEK_CUR));
  TELL(pwritev2(fd, out, 1, -2, RWF_APPEND));
  content(fd);
  struct iovec in[] = {{buffer, 4}, {buffer + 10, 4}};
  TELL(lseek(fd, 2, SEEK_SET));
  TELL(readv(fd, in, 2));
  TELL(preadv(fd, in, 2, 100));
  TELL(preadv2(fd, in, 2, 20, 0));
  const int wrong = atoi("-1");
  TELL(writev(fd, out, wrong));
  TELL(read(fd, buffer, 0));
  TELL(pread(fd, buffer, 5, -1));
  TELL(lseek(fd, -100, SEEK_CUR));
  TELL(lseek(fd, 3, SEEK_END));
  TELL(lseek(fd, 0, 77));
  TELL(pwrite(fd, "x", 1, 5000));
  TELL(ftruncate(fd, 6000));
  TELL(pread(fd, buffer, 8, 4998));
  TELL(ftruncate(fd, 12));
  TELL(ftruncate(fd, 16));
  content(fd);
  TELL(ftruncate(fd, -1));
  TELL(truncate("t", 14));
  TELL(truncate("not there", 14));
  TELL(posix_fallocate(fd, 0, 30));
  TELL(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 100));
  TELL(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 2, 4));
  content(fd);
  TELL(fsync(fd));
  TELL(fdatasync(fd));
  TELL(syncfs(fd));
  TELL(sync_file_range(fd, 0, 10, SYNC_FILE_RANGE_WRITE));
  TELL(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
  TELL(readahead(fd, 0, 100));
  close(fd);
  TELL(write(fd, "x", 1));
  fd = open("t", O_RDONLY);
  TELL(write(fd, "x", 1));
  TELL(ftruncate(fd, 1));
  close(fd);
  fd = open("t", O_WRONLY | O_APPEND);
  TELL(read(fd, buffer, 1));
  TELL(write(fd, "end", 3));
  TELL(pwrite(fd, "END", 3, 0));
  TELL(lseek(fd, 0, SEEK_CUR));
  TELL(fcntl(fd, F_GETFL) & (O_ACCMODE | O_APPEND | O_NONBLOCK));
  TELL(fcntl(fd, F_SETFL, 0));
  TELL(pwrite(fd, "no more", 7, 1));
  close(fd);
  fd = open("t", O_RDONLY);
  content(fd);
  close(fd);
}

static void copies(void) {
  say("-- copies");
  const int from = open("from", O_RDWR | O_CREAT | O_TRUNC, 0600);
  const int to = open("to", O_RDWR | O_CREAT | O_TRUNC, 0600);
  TELL(write(from, "source text", 11));
  off_t at = 7;
  off64_t in = 0, out = 3;
  TELL(sendfile(to, from, &at, 100));
  say("  at %lld", (long long)at);
  TELL(copy_file_range(from, &in, to, &out, 6, 0));
  say("  in %lld out %lld", (long long)in, (long long)out);
  TELL(lseek(from, 0, SEEK_SET));
  TELL(copy_file_range(from, NULL, to, NULL, 3, 0));
  TELL(lseek(from, 0, SEEK_CUR));
  content(to);
  int tube[2];
  if (pipe(tube) != 0) return;
  in = 0;
  TELL(splice(from, &in, tube[1], NULL, 6, 0));
  out = 20;
  TELL(splice(tube[0], NULL, to, &out, 6, 0));
  content(to);
  close(tube[0]);
  close(tube[1]);
  const int outside = open("/dev/null", O_WRONLY);
  at = 0;
  TELL(sendfile(outside, from, &at, 100));
  close(outside);
  close(from);
  close(to);
}

static void descriptors(void) {
  say("-- descriptors");
  const int fd = open("d", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  TELL(fcntl(fd, F_GETFD));
  const int two = dup(fd);
  TELL(write(fd, "one", 3));
  TELL(write(two, "two", 3));
  TELL(dup2(fd, 50));
  TELL(write(50, "six", 3));
  TELL(dup3(fd, 51, O_CLOEXEC));
  TELL(fcntl(51, F_GETFD));
  TELL(fcntl(fd, F_DUPFD, 60));
  TELL(fcntl(fd, F_DUPFD_CLOEXEC, 61));
  TELL(close(fd));
  TELL(lseek(60, 0, SEEK_CUR));
  TELL(close_range(50, 59, 0));
  TELL(write(50, "x", 1));
  content(60);
  const pid_t child = fork();
  if (child == 0) {
    write(60, "child", 5);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  TELL(lseek(60, 0, SEEK_CUR));
  TELL(write(60, "parent", 6));
  content(60);
  close(60);
  close(61);
  close(two);
  FILE* const piped = popen("cat > p; cat p", "w");
  fputs("through a pipe\n", piped);
  TELL(pclose(piped));
  TELL(system("wc -c < p > q; cat q"));
}

// What children do that run in their parent's memory until they become another program.
static void borrowed(void) {
  say("-- children of vfork");
  mkdir("v", 0755);
  pid_t child = vfork();
  if (child == 0) {
    umask(077);
    _exit(chdir("v") != 0 || open("by the child", O_WRONLY | O_CREAT, 0666) < 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  TELL(WEXITSTATUS(status));
  const int fd = open("by the parent", O_RDWR | O_CREAT, 0666);
  struct stat facts;
  TELL(stat("by the parent", &facts));
  say("  mode %o", facts.st_mode);
  TELL(stat("v/by the child", &facts));
  say("  mode %o", facts.st_mode);
  TELL(access("v/by the parent", F_OK));
  child = vfork();
  if (child == 0) _exit(chdir("/"));
  waitpid(child, &status, 0);
  // Whoever is made by fork has its own memory, also right after a vfork.
  child = fork();
  if (child == 0) {
    const int made = open("by a fork", O_WRONLY | O_CREAT, 0600);
    _exit(write(made, "text", 4) != 4 || close(made) != 0);
  }
  waitpid(child, &status, 0);
  TELL(WEXITSTATUS(status));
  TELL(stat("by a fork", &facts));
  say("  size %d", (int)facts.st_size);
  close(fd);
}

static int spawned(const char* what, char* const* environment) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    char* const words[] = {(char*)self, ".", (char*)what, NULL};
    execve(self, words, environment);
    _exit(99);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

// What a program that was started with another environment does.
static int as_child(void) {
  const int fd = open("c", O_RDWR);
  if (fd < 0) return 1;
  if (lseek(fd, 0, SEEK_END) < 0 || write(fd, " child", 6) != 6) return 2;
  char bytes[32];
  const ssize_t got = pread(fd, bytes, sizeof bytes, 0);
  printf("  child sees %.*s\n", (int)got, bytes);
  return write(70, " inherited", 10) == 10 ? 0 : 3;
}

static void environments(void) {
  say("-- environments");
  const int fd = open("c", O_RDWR | O_CREAT | O_TRUNC, 0600);
  const int inherited = open("i", O_RDWR | O_CREAT | O_TRUNC, 0600);
  dup2(inherited, 70);
  close(inherited);
  TELL(write(fd, "parent", 6));
  TELL(write(70, "start", 5));
  char* const empty[] = {NULL};
  char* const other[] = {"A=1", "LD_PRELOAD=", NULL};
  TELL(spawned("child", environ));
  TELL(spawned("child", empty));
  TELL(spawned("child", other));
  TELL(system("env -i sh -c 'echo shell >> c; cat c'"));
  content(fd);
  content(70);
  close(fd);
  close(70);
}

static void opens(void) {
  say("-- opens");
  TELL_OK(open("e", O_RDWR | O_CREAT | O_EXCL, 0600));
  TELL_OK(open("e", O_RDWR | O_CREAT | O_EXCL, 0600));
  TELL_OK(open("not there", O_RDWR));
  TELL_OK(open("e/x", O_RDWR | O_CREAT, 0600));
  TELL_OK(open("no dir/x", O_RDWR | O_CREAT, 0600));
  TELL_OK(open("e", O_RDONLY | O_DIRECTORY));
  TELL_OK(open("e/", O_RDONLY));
  TELL_OK(open(".", O_RDWR));
  TELL_OK(open(".", O_RDONLY | O_DIRECTORY));
  TELL_OK(creat("e2", 0444));
  char name[300];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = 0;
  TELL_OK(open(name, O_RDWR | O_CREAT, 0600));
  const int unnamed = open(".", O_TMPFILE | O_RDWR, 0600);
  say("O_TMPFILE %s", unnamed >= 0 ? "ok" : "failed");
  TELL(write(unnamed, "nameless", 8));
  content(unnamed);
  struct stat status;
  fstat(unnamed, &status);
  say("  links %d size %d", (int)status.st_nlink, (int)status.st_size);
  close(unnamed);
  void* block = NULL;
  if (posix_memalign(&block, 4096, 4096) != 0) return;
  memset(block, 'D', 4096);
  const int direct = open("direct", O_RDWR | O_CREAT | O_DIRECT, 0600);
  if (direct >= 0) {
    TELL(write(direct, block, 4096));
    TELL(pread(direct, block, 4096, 0));
    close(direct);
  }
  free(block);
  char pattern[] = "tmpXXXXXX";
  const int made = mkstemp(pattern);
  say("mkstemp %s",
      made >= 0 && strncmp(pattern, "tmp", 3) == 0 && access(pattern, F_OK) == 0 ? "ok" : "failed");
  unlink(pattern);
  close(made);
  const int root = open(".", O_PATH | O_DIRECTORY);
  const int at = openat(root, "at", O_RDWR | O_CREAT, 0600);
  TELL(write(at, "at", 2));
  TELL(faccessat(root, "at", R_OK, 0));
  TELL(unlinkat(root, "at", 0));
  TELL(faccessat(root, "at", R_OK, 0));
  fstat(at, &status);
  say("  unlinked: size %d links %d", (int)status.st_size, (int)status.st_nlink);
  close(at);
  close(root);
}

static void facts(void) {
  say("-- facts");
  umask(027);
  const int fd = open("s", O_RDWR | O_CREAT | O_TRUNC, 0666);
  umask(022);
  write(fd, "12345", 5);
  struct stat a, b, c;
  struct statx x;
  TELL(stat("s", &a));
  TELL(fstat(fd, &b));
  TELL(lstat("s", &c));
  TELL(statx(AT_FDCWD, "s", 0, STATX_BASIC_STATS, &x));
  TELL(fstatat(AT_FDCWD, "s", &c, AT_SYMLINK_NOFOLLOW));
  say("  mode %o size %d links %d same %d %d", a.st_mode, (int)a.st_size, (int)a.st_nlink,
      a.st_ino == b.st_ino && a.st_dev == b.st_dev, x.stx_size == 5 && x.stx_ino == a.st_ino);
  struct stat here;
  stat(".", &here);
  say("  device as the directory's %d, mine %d", here.st_dev == a.st_dev, a.st_uid == geteuid());
  TELL(fstatat(fd, "", &c, AT_EMPTY_PATH));
  TELL(stat("not there", &a));
  TELL(stat("s/x", &a));
  TELL(stat("", &a));
  TELL(access("s", R_OK | W_OK));
  TELL(access("not there", F_OK));
  TELL(chmod("s", 0604));
  TELL(fchmod(fd, 0644));
  TELL(fchmodat(AT_FDCWD, "s", 0600, 0));
  stat("s", &a);
  say("  mode %o", a.st_mode);
  const struct timespec times[2] = {{100, 5}, {200, 7}};
  TELL(utimensat(AT_FDCWD, "s", times, 0));
  stat("s", &a);
  say("  modified %lld.%ld", (long long)a.st_mtim.tv_sec, a.st_mtim.tv_nsec);
  const struct timeval seconds[2] = {{1, 2}, {3, 4}};
  TELL(futimes(fd, seconds));
  stat("s", &a);
  say("  modified %lld.%ld", (long long)a.st_mtim.tv_sec, a.st_mtim.tv_nsec);
  write(fd, "6", 1);
  stat("s", &a);
  say("  writing modifies %d", a.st_mtim.tv_sec > 1000);
  TELL(chown("s", -1, -1));
  TELL(fchown(fd, geteuid(), getegid()));
  struct statfs f1, f2;
  struct statvfs v1, v2;
  TELL(statfs(".", &f1));
  TELL(statfs("s", &f2));
  TELL(fstatfs(fd, &f2));
  say("  same type %d", f1.f_type == f2.f_type);
  TELL(statvfs(".", &v1));
  TELL(fstatvfs(fd, &v2));
  say("  same size %d", v1.f_blocks == v2.f_blocks);
  TELL(pathconf("s", _PC_NAME_MAX));
  TELL(fpathconf(fd, _PC_NAME_MAX));
  TELL(isatty(fd));
  close(fd);
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

static struct aiocb next_request;
static sem_t notified;

static void go_on_writing(union sigval value) {
  pwrite(value.sival_int, "function", 8, 4);
  next_request.aio_offset = 12;
  aio_write(&next_request);
  sem_post(&notified);
}

static void handle(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)context;
  pwrite(info->si_value.sival_int, "handler", 7, 20);
  sem_post(&notified);
}

static void wait_for(const struct aiocb* request) {
  const struct aiocb* const list[] = {request};
  while (aio_error(request) == EINPROGRESS) aio_suspend(list, 1, NULL);
}

// What a program does when it is told that a request is complete.
static void notifications(void) {
  say("-- notifications");
  sem_init(&notified, 0, 0);
  const int fd = open("aio", O_RDWR | O_CREAT | O_TRUNC, 0600);
  char one[] = "one.";
  char two[] = "two.....";
  struct aiocb request = {.aio_fildes = fd, .aio_buf = one, .aio_nbytes = 4};
  request.aio_sigevent.sigev_notify = SIGEV_THREAD;
  request.aio_sigevent.sigev_notify_function = go_on_writing;
  request.aio_sigevent.sigev_value.sival_int = fd;
  next_request = (struct aiocb){.aio_fildes = fd, .aio_buf = two, .aio_nbytes = 8};
  next_request.aio_sigevent.sigev_notify = SIGEV_NONE;
  TELL(aio_write(&request));
  wait_for(&request);
  TELL(aio_return(&request));
  while (sem_wait(&notified) != 0) {
  }
  wait_for(&next_request);
  TELL(aio_return(&next_request));

  const struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, NULL);
  request.aio_offset = 27;
  request.aio_lio_opcode = LIO_WRITE;
  request.aio_sigevent = (struct sigevent){.sigev_notify = SIGEV_NONE};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  event.sigev_value.sival_int = fd;
  struct aiocb* const list[] = {&request};
  TELL(lio_listio(LIO_WAIT, list, 1, &event));  // nobody is told
  TELL(sem_trywait(&notified));
  TELL(lio_listio(LIO_NOWAIT, list, 1, &event));
  while (sem_wait(&notified) != 0) {
  }
  wait_for(&request);
  content(fd);
  close(fd);
  request.aio_fildes = open("aio", O_RDONLY);
  TELL(lio_listio(LIO_WAIT, list, 1, NULL));  // fails with its request
  TELL(aio_return(&request));
  close(request.aio_fildes);
}

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

static void streams(void) {
  say("-- streams");
  FILE* stream = fopen("f", "w+");
  TELL(fprintf(stream, "%d %s\n", 42, "lines"));
  TELL(fputs("second\n", stream));
  TELL(fputc('x', stream));
  TELL(fwrite("block", 1, 5, stream));
  TELL(ftell(stream));
  TELL(fseek(stream, 3, SEEK_SET));
  char line[64];
  say("  %s", fgets(line, sizeof line, stream));
  TELL(ungetc('u', stream));
  TELL(fgetc(stream));
  char* text = NULL;
  size_t room = 0;
  TELL(getline(&text, &room, stream));
  free(text);
  TELL(fseeko(stream, -3, SEEK_END));
  TELL(fread(line, 1, 10, stream));
  TELL(feof(stream) != 0);
  rewind(stream);
  int number = 0;
  TELL(fscanf(stream, "%d %63s", &number, line));
  say("  %d %s", number, line);
  TELL(fclose(stream));
  stream = fopen("f", "a+");
  TELL(setvbuf(stream, NULL, _IOLBF, 128));
  TELL(fputs("appended", stream));
  TELL(fflush(stream));
  struct stat status;
  stat("f", &status);
  say("  size %d", (int)status.st_size);
  TELL(ftruncate(fileno(stream), 5));
  TELL(fclose(stream));
  say("  fopen %s", fopen("f", "wx") == NULL ? strerrorname_np(errno) : "made");
  say("  fopen %s", fopen("not there", "r") == NULL ? strerrorname_np(errno) : "made");
  stream = fopen("f", "r");
  stream = freopen("f2", "w", stream);
  TELL(fputs("reopened", stream));
  TELL(fclose(stream));
  stream = fopen("f2", "r+e");
  TELL(fputs("wide", stream));
  TELL(fclose(stream));
  const int fd = open("f2", O_RDONLY);
  content(fd);
  stream = fdopen(fd, "r");
  TELL(fgetc(stream));
  TELL(fclose(stream));
  TELL(close(fd));
  stream = tmpfile();
  TELL(fclose(stream));
}

static void by_number(void) {
  say("-- streams by number");
  const int kept = dup(1);
  const int fd = open("printed", O_RDWR | O_CREAT | O_TRUNC, 0600);
  printf("pending ");
  dup2(fd, 1);
  printf("printed\n");
  fflush(stdout);
  char* const names[] = {"/dev/stdout", "/proc/self/fd/1", "/dev/fd/1"};
  FILE* const writing = fopen(names[0], "r+");
  const int wrote = writing != NULL && fputs("PENDING", writing) >= 0 && fclose(writing) == 0;
  FILE* const reading = fopen(names[1], "r");
  char line[64] = "";
  const int got = reading != NULL && fgets(line, sizeof line, reading) != NULL && fclose(reading) == 0;
  FILE* const adding = fopen(names[2], "a");
  const int added = adding != NULL && fputs("added", adding) >= 0 && fclose(adding) == 0;
  dup2(kept, 1);
  say("  %d %d %d %s", wrote, got, added, line);
  content(fd);
  FILE* const elsewhere = fopen("/dev/null", "w");
  TELL(fclose(elsewhere));
  const int input_kept = dup(0);
  dup2(fd, 0);
  FILE* const input = fopen("/dev/stdin", "r");
  say("  %s", input != NULL ? fgets(line, sizeof line, input) : "no input");
  if (input != NULL) fclose(input);
  dup2(input_kept, 0);
  close(input_kept);
  dup2(fd, 1);
  FILE* const anew = fopen("/dev/stdout", "w");
  const int printed = anew != NULL && fputs("anew", anew) >= 0 && fclose(anew) == 0;
  dup2(kept, 1);
  say("  %d", printed);
  content(fd);
  close(fd);
  close(kept);
}

static void mappings(void) {
  say("-- mappings");
  const int fd = open("m", O_RDWR | O_CREAT | O_TRUNC, 0600);
  for (int i = 0; i < 2000; ++i) write(fd, "0123456789", 10);
  char* const shared = mmap(NULL, 20000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const char* const copy = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 4096);
  if (shared == MAP_FAILED || copy == MAP_FAILED) {
    say("mmap failed");
    return;
  }
  say("  %.10s %.4s", shared, copy);
  memcpy(shared + 5000, "MAPPED", 6);
  TELL(msync(shared, 20000, MS_SYNC));
  char bytes[8] = "";
  TELL(pread(fd, bytes, 6, 5000));
  say("  %s", bytes);
  memcpy(shared + 10, "LAST", 4);
  TELL(munmap(shared, 20000));
  TELL(munmap((void*)copy, 8192));
  TELL(pread(fd, bytes, 4, 10));
  say("  %.4s", bytes);
  const int reading = open("m", O_RDONLY);
  TELL_OK(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, reading, 0));
  TELL_OK(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, reading, 1));
  close(reading);
  close(fd);
}

// Mappings that are put over one another, and pages that may not be read.
static void mappings_over_others(void) {
  say("-- mappings over others");
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const int one = open("m1", O_RDWR | O_CREAT | O_TRUNC, 0600);
  const int two = open("m2", O_RDWR | O_CREAT | O_TRUNC, 0600);
  for (size_t i = 0; i < 4 * page; i += 4) {
    write(one, "1111", 4);
    write(two, "2222", 4);
  }
  char* const shared = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_SHARED, one, 0);
  if (shared == MAP_FAILED) {
    say("mmap failed");
    return;
  }
  shared[0] = 'a';
  shared[page] = 'b';
  TELL(mmap(shared + page, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, two, 0) == shared + page);
  TELL(mmap(shared, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, two, 0) == shared);
  shared[1] = 'p';
  shared[page + 1] = 'c';
  shared[2 * page + 1] = 'd';
  TELL(mprotect(shared + 2 * page, page, PROT_NONE));
  TELL(msync(shared, 4 * page, MS_SYNC));
  char bytes[4] = "";
  for (off_t at = 0; at < 4; ++at) {
    TELL(pread(one, bytes, 3, at * (off_t)page));
    say("  %s", bytes);
    TELL(pread(two, bytes, 3, at * (off_t)page));
    say("  %s", bytes);
  }
  char* const closed = mmap(NULL, page, PROT_NONE, MAP_SHARED, two, (off_t)page);
  TELL(fsync(two));
  TELL(mprotect(closed, page, PROT_READ | PROT_WRITE));
  closed[0] = 'e';
  TELL(mprotect(closed, page, PROT_NONE));
  TELL(munmap(shared, 4 * page));
  TELL(munmap(closed, page));
  TELL(pread(two, bytes, 3, (off_t)page));
  say("  %s", bytes);
  close(one);
  close(two);
}

static int try_lock(int command, short type, off_t start, off_t length) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const int fd = open("l", O_RDWR);
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    const int result = command == -1 ? flock(fd, LOCK_EX | LOCK_NB) : fcntl(fd, command, &lock);
    _exit(result == 0 ? 0 : errno);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

// What a child does with a descriptor that it shares with its parent: it must not wait for a lock of either.
static int write_in_child(int fd, int with_lock) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 3};
    if (with_lock) _exit(fcntl(fd, F_OFD_SETLK, &whole) != 0 || write(fd, "child", 5) != 5);
    if (fcntl(fd, F_GETLK, &whole) != 0) _exit(2);
    if (whole.l_type != F_WRLCK || whole.l_start != 0 || whole.l_len != 0) _exit(3);
    _exit(write(fd, "child", 5) != 5);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void locks(void) {
  say("-- locks");
  const int fd = open("l", O_RDWR | O_CREAT | O_TRUNC, 0600);
  write(fd, "0123456789", 10);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_END, .l_start = -4, .l_len = 2};
  TELL(fcntl(fd, F_SETLK, &lock));
  TELL(try_lock(F_SETLK, F_WRLCK, 0, 6));
  TELL(try_lock(F_SETLK, F_RDLCK, 6, 1));
  TELL(try_lock(F_SETLK, F_WRLCK, 8, 0));
  TELL(try_lock(F_OFD_SETLK, F_WRLCK, 7, 1));
  lock.l_type = F_UNLCK;
  TELL(fcntl(fd, F_SETLK, &lock));
  TELL(try_lock(F_SETLK, F_WRLCK, 0, 0));
  lock.l_type = F_WRLCK;
  TELL(fcntl(fd, F_GETLK, &lock));
  say("  free %d, asked %d from %d for %d", lock.l_type == F_UNLCK, lock.l_whence, (int)lock.l_start,
      (int)lock.l_len);
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  TELL(fcntl(fd, F_SETLK, &whole));
  TELL(write_in_child(fd, 0));
  whole.l_type = F_UNLCK;
  TELL(fcntl(fd, F_SETLK, &whole));
  TELL(write_in_child(fd, 1));
  whole.l_type = F_UNLCK;
  TELL(fcntl(fd, F_OFD_SETLK, &whole));
  whole = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 8, .l_len = -3};
  TELL(fcntl(fd, F_SETLK, &whole));
  TELL(try_lock(F_SETLK, F_WRLCK, 7, 1));
  TELL(try_lock(F_SETLK, F_WRLCK, 8, 0));
  whole = (struct flock){.l_type = F_UNLCK, .l_whence = SEEK_SET};
  TELL(fcntl(fd, F_SETLK, &whole));
  whole.l_type = F_WRLCK;
  TELL(fcntl(fd, F_OFD_SETLK, &whole));
  struct flock asked = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 3, .l_len = 1};
  const int other = open("l", O_RDWR);
  TELL(fcntl(other, F_OFD_GETLK, &asked));
  say("  held %d from %d for %d", asked.l_type == F_WRLCK, (int)asked.l_start, (int)asked.l_len);
  TELL(fcntl(other, F_OFD_SETLK, &asked));
  close(fd);
  TELL(flock(other, LOCK_EX));
  TELL(try_lock(-1, 0, 0, 0));
  TELL(flock(other, LOCK_UN));
  TELL(try_lock(-1, 0, 0, 0));
  TELL(lockf(other, F_TLOCK, 5));
  TELL(lockf(other, F_ULOCK, 5));
  close(other);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (argc > 2) return as_child();
  static char own[PATH_MAX];
  if (realpath("/proc/self/exe", own) == NULL || chdir(argv[1]) != 0) return 2;
  self = own;
  setvbuf(stdout, NULL, _IOFBF, 1 << 16);
  transfers();
  copies();
  descriptors();
  opens();
  facts();
  names();
  replacements();
  streams();
  by_number();
  mappings();
  mappings_over_others();
  selecting();
  notifications();
  locks();
  borrowed();
  environments();
  return 0;
}
