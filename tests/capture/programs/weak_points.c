/* What tracers are known to get wrong, one part at a time.

   Usage: weak_points PART [NUMBER] */
#include <aio.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "tiny.h"

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* A gap of more than 2^32 ticks of any usual clock. Prints how far the calls' beginnings are apart, at least
   and at most. */
static void gap(void) {
  const int64_t before_first = now();
  IGNORE(open("first", O_RDWR | O_CREAT, 0600));
  const int64_t after_first = now();
  const struct timespec pause = {4, 500000000};
  nanosleep(&pause, NULL);
  const int64_t before_second = now();
  IGNORE(open("second", O_RDWR | O_CREAT, 0600));
  const int64_t after_second = now();
  printf("%ld %ld\n", (long)(before_second - after_first), (long)(after_second - before_first));
}

/* Many short calls at uneven distances. Prints as gap() does. */
static void drift(long calls) {
  uint64_t state = 1;
  volatile unsigned spent = 0;
  const int fd = open("file", O_RDWR | O_CREAT, 0600);
  const int64_t before_first = now();
  IGNORE(lseek(fd, 1, SEEK_SET));
  const int64_t after_first = now();
  for (long i = 0; i < calls; ++i) {
    for (unsigned turns = next_random(&state) % 1000; turns > 0; --turns) spent = spent + turns;
    IGNORE(lseek(fd, 2, SEEK_SET));
  }
  const int64_t before_last = now();
  IGNORE(lseek(fd, 3, SEEK_SET));
  const int64_t after_last = now();
  printf("%ld %ld\n", (long)(before_last - after_first), (long)(after_last - before_first));
}

/* Names from stdin, each ended by a null byte. */
static void names(void) {
  static char text[1 << 20];
  const ssize_t length = read(0, text, sizeof text - 1);
  for (const char* name = text; name < text + length; name += strlen(name) + 1) IGNORE(open(name, O_RDONLY));
}

static void many(long count) {
  char name[64];
  const int fd = open("file", O_RDWR | O_CREAT, 0600);
  for (long i = 0; i < count; ++i) {
    /* The multiplier is odd, so that no name comes twice and no counter can be seen in them. */
    snprintf(name, sizeof name, "%08x", (unsigned)((uint32_t)i * 2654435761u));
    IGNORE(access(name, (int)(i % 7)));
    IGNORE(lseek(fd, (off_t)(i * i % 1000003 * 4099), SEEK_SET));
    IGNORE(fcntl(fd, 1 << 20, (long)i * 7919)); /* a number of its own each time */
  }
}

static void forks(long writes) {
  const int fd = open("parent", O_RDWR | O_CREAT, 0600);
  for (long i = 0; i < writes; ++i) IGNORE(pwrite(fd, "x", 1, i * i % 1000));
  for (int child = 0; child < 3; ++child)
    if (fork() == 0) {
      for (int i = 0; i < 10; ++i) IGNORE(pwrite(fd, "child", 5, i));
      _exit(0);
    }
  while (wait(NULL) > 0) continue;
  IGNORE(pwrite(fd, "last", 4, 0));
}

static void before_exec(char** words) {
  const int fd = open("before", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  for (int i = 0; i < 1000; ++i) IGNORE(write(fd, "before", 6));
  char* next[] = {words[0], "kinds", NULL};
  execv("/proc/self/exe", next);
}

/* Programs that are started with an environment of their own. Each opens a file named as the way it was
 * started. */
static void environments(void) {
  static char* ways[] = {"execve", "execle", "execv", "execlp", "vfork", "posix_spawn", "null", "libraries"};
  static char* const empty[] = {NULL};
  static char* const one[] = {"ONE=1", NULL};
  static char* const libraries[] = {"LD_PRELOAD=libm.so.6", "ONE=1", NULL};
  extern char** environ;
  static char self[] = "/proc/self/exe";
  for (unsigned way = 0; way < sizeof ways / sizeof *ways; ++way) {
    char* next[] = {self, "opens", ways[way], NULL};
    pid_t child = 0;
    if (way == 5) {
      IGNORE(posix_spawn(&child, self, NULL, NULL, next, one));
    } else if (way == 4) {
      child = vfork();
      if (child == 0) {
        execve(self, next, one);
        _exit(1);
      }
    } else {
      child = fork();
      if (child == 0) {
        if (way == 0) execve(self, next, one);
        if (way == 1) execle(self, self, "opens", ways[way], (char*)NULL, empty);
        if (way == 6) execve(self, next, NULL);
        if (way == 7) execve(self, next, libraries);
        environ = (char**)empty;
        if (way == 2) execv(self, next);
        if (way == 3) execlp(self, self, "opens", ways[way], (char*)NULL);
        _exit(1);
      }
    }
    IGNORE(waitpid(child, NULL, 0));
  }
}

/* Nothing is recorded before the child is there, and the child is one of a thread. */
static void* fork_on_thread(void* how) {
  char* next[] = {"/proc/self/exe", "opens", how, NULL};
  const pid_t child = strcmp(how, "vforked") == 0 ? vfork() : fork();
  if (child == 0) {
    execv(next[0], next);
    _exit(1);
  }
  IGNORE(waitpid(child, NULL, 0));
  return NULL;
}

static void first_calls(void) {
  pthread_t thread;
  fork_on_thread("vforked");
  pthread_create(&thread, NULL, fork_on_thread, "forked");
  pthread_join(thread, NULL);
  IGNORE(open("last", O_RDWR | O_CREAT, 0600));
}

static void kinds(void) {
  char data[100] = "line\nanother\n";
  char line[50];
  struct stat st;
  const int fd = openat(AT_FDCWD, "file", O_RDWR | O_CREAT | O_TRUNC, 0600);
  const int to = open("to", O_RDWR | O_CREAT, 0600);
  const struct iovec pieces[2] = {{data, 5}, {data, 8}};
  IGNORE(pwritev(fd, pieces, 2, 0));
  IGNORE(preadv(fd, pieces, 2, 1));
  struct aiocb request = {.aio_fildes = fd, .aio_buf = data, .aio_nbytes = 10, .aio_offset = 4000};
  const struct aiocb* const list[1] = {&request};
  IGNORE(aio_write(&request));
  IGNORE(aio_suspend(list, 1, NULL));
  IGNORE(aio_error(&request));
  IGNORE(aio_return(&request));
  request.aio_offset = 4005;
  IGNORE(aio_read(&request));
  IGNORE(aio_suspend(list, 1, NULL));
  IGNORE(aio_return(&request)); /* 5: a short one */
  void* at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
  IGNORE(munmap(at, 4096));
  IGNORE(stat("file", &st));
  off_t offset = 2;
  IGNORE(sendfile(to, fd, &offset, 7));
  offset = 1;
  IGNORE(copy_file_range(fd, &offset, to, NULL, 6, 0));
  IGNORE(pread(fd, data, 100, 4000)); /* 10: a short one */
  IGNORE(read(77, data, 1));
  FILE* stream = fopen("stream", "w+");
  IGNORE(fputs("some text\n", stream) - 1);
  rewind(stream);
  IGNORE(fgets(line, sizeof line, stream) == NULL);
  fclose(stream);
}

int main(int count, char** words) {
  const char* const part = count > 1 ? words[1] : "";
  const long number = count > 2 ? atol(words[2]) : 0;
  if (strcmp(part, "gap") == 0) gap();
  if (strcmp(part, "drift") == 0) drift(number);
  if (strcmp(part, "names") == 0) names();
  if (strcmp(part, "many") == 0) many(number);
  if (strcmp(part, "forks") == 0) forks(number);
  if (strcmp(part, "before_exec") == 0) before_exec(words);
  if (strcmp(part, "environments") == 0) environments();
  if (strcmp(part, "first_calls") == 0) first_calls();
  if (strcmp(part, "opens") == 0) IGNORE(open(words[2], O_RDWR | O_CREAT, 0600));
  if (strcmp(part, "kinds") == 0) kinds();
  return 0;
}
