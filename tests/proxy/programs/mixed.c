/* What programs do around their data: an input file read line by line, a log, numbered files written by
 * threads, a file with random offsets, a directory of their own, calls that fail: mixed STEPS. Needs
 * input.txt. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kThreads = 3, kBlock = 1000 };
static int steps = 10;
static int shared;

#define CHECK(condition)                                    \
  if (!(condition)) {                                       \
    fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
    exit(1);                                                \
  }

static void* work(void* argument) {
  const int own = (int)(intptr_t)argument;
  char data[kBlock] = {0};
  for (int step = 0; step < steps; ++step) {
    char name[64];
    snprintf(name, sizeof name, "out/part_%d_%04d.dat", own, step);
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    CHECK(fd >= 0);
    for (int i = 0; i < 4; ++i) CHECK(write(fd, data, sizeof data) == sizeof data);
    CHECK(close(fd) == 0);
    CHECK(pwrite(shared, data, 100, (off_t)(step * kThreads + own) * 100) == 100);
  }
  return NULL;
}

static void read_input(void) {
  char line[80];
  int lines = 0;
  FILE* const in = fopen("input.txt", "r");
  CHECK(in != NULL);
  while (fgets(line, sizeof line, in) != NULL) ++lines;
  CHECK(fseek(in, 0, SEEK_END) == 0);
  printf("%d lines, %ld bytes\n", lines, ftell(in));
  CHECK(fclose(in) == 0);
}

static void jump_about(void) {
  const int fd = open("random.dat", O_RDWR | O_CREAT | O_EXCL, 0600);
  CHECK(fd >= 0);
  uint32_t state = 12345;
  char data[256] = {0};
  for (int i = 0; i < 40 * steps; ++i) {
    state = state * 1664525 + 1013904223;
    CHECK(pwrite(fd, data, 1 + state / 256 % sizeof data, state % 1000000) > 0);
  }
  CHECK(close(fd) == 0);
}

int main(int argc, char** argv) {
  if (argc > 1) steps = atoi(argv[1]);
  CHECK(open("missing.txt", O_RDONLY) == -1 && errno == ENOENT);
  CHECK(mkdir("out", 0755) == 0);
  CHECK(mkdir("out", 0755) == -1 && errno == EEXIST);
  read_input();

  shared = open("shared.dat", O_RDWR | O_CREAT, 0644);
  CHECK(shared >= 0);
  pthread_t threads[kThreads];
  for (intptr_t i = 0; i < kThreads; ++i) CHECK(pthread_create(&threads[i], NULL, work, (void*)i) == 0);
  for (int i = 0; i < kThreads; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  char header[16] = {0};
  char body[48] = {0};
  const struct iovec pieces[] = {{header, sizeof header}, {body, sizeof body}};
  CHECK(lseek(shared, 0, SEEK_END) > 0);
  CHECK(writev(shared, pieces, 2) == sizeof header + sizeof body);
  CHECK(fsync(shared) == 0 && close(shared) == 0);

  FILE* const log = fopen("run.log", "w");
  CHECK(log != NULL);
  for (int step = 0; step < steps; ++step)
    CHECK(fprintf(log, "step %d of %s: %g\n", step, argv[0] + strlen(argv[0]) - 3, 0.5 * step) > 0);
  fputs("done\n", log);
  CHECK(fclose(log) == 0);
  jump_about();
  CHECK(rename("random.dat", "kept.dat") == 0);
  CHECK(unlink("out/part_0_0000.dat") == 0);
  struct stat about;
  CHECK(stat("kept.dat", &about) == 0);
  printf("%d steps\n", steps);
  return 0;
}
