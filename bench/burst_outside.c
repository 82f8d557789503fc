// What a call on a file outside the burst buffer's directory costs more when libweir-burst.so is loaded:
//   burst_outside LIBRARY [ROUNDS]
// The program starts itself with and without the library in turn; times are medians over the rounds.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kCalls = 7, kMostRounds = 101, kBatches = 15 };

static const char* const kNames[kCalls] = {"read", "pread",          "lseek", "fstat",
                                           "stat", "open and close", "fgetc"};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_size);
  return values[count / 2];
}

static void call(int which, int fd, FILE* stream, const char* path) {
  char byte;
  struct stat status;
  switch (which) {
    case 0:
      if (read(fd, &byte, 1) != 1) lseek(fd, 0, SEEK_SET);
      return;
    case 1:
      if (pread(fd, &byte, 1, 0) != 1) abort();
      return;
    case 2:
      lseek(fd, 0, SEEK_SET);
      return;
    case 3:
      fstat(fd, &status);
      return;
    case 4:
      stat(path, &status);
      return;
    case 5:
      close(open(path, O_RDONLY));
      return;
    default:
      if (fgetc(stream) == EOF) rewind(stream);
  }
}

// The shortest of some batches of each call: what others do on the machine only adds.
static int measure(const char* path) {
  const int fd = open(path, O_RDWR);
  FILE* const stream = fopen(path, "r");
  if (fd < 0 || stream == NULL) return 1;
  for (int which = 0; which < kCalls; ++which) {
    const int count = which == 6 ? 200000 : which >= 4 ? 3000 : 10000;
    double best = 1e18;
    for (int batch = 0; batch < kBatches; ++batch) {
      const double begin = now();
      for (int i = 0; i < count; ++i) call(which, fd, stream, path);
      const double each = (now() - begin) / count;
      if (each < best) best = each;
    }
    printf("%f\n", best);
  }
  return 0;
}

static int run(char** argv, const char* path, const char* library, double times[kCalls]) {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    if (library != NULL) {
      setenv("LD_PRELOAD", library, 1);
      setenv("WEIR_JOB", "/nonexistent/job", 1);  // never asked for: no call is on a file of the directory
      setenv("WEIR_BURST_DIR", "/usr", 1);
    }
    execl("/proc/self/exe", argv[0], "--measure", path, (char*)NULL);
    _exit(127);
  }
  close(ends[1]);
  FILE* const from = fdopen(ends[0], "r");
  int read = 0;
  while (read < kCalls && fscanf(from, "%lf", &times[read]) == 1) ++read;
  fclose(from);
  int status = 0;
  waitpid(child, &status, 0);
  return read == kCalls && status == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "--measure") == 0) return measure(argv[2]);
  if (argc < 2) return 2;
  const int rounds = argc > 2 ? atoi(argv[2]) : 11;
  if (rounds < 1 || rounds > kMostRounds) return 2;
  char path[] = "/tmp/weir-bench-XXXXXX";
  const int fd = mkstemp(path);
  if (fd < 0 || ftruncate(fd, 1 << 16) != 0) return 1;
  static double bare[kCalls][kMostRounds], with[kCalls][kMostRounds];
  for (int round = 0; round < rounds; ++round) {
    double times[2][kCalls];
    if (run(argv, path, NULL, times[0]) != 0 || run(argv, path, argv[1], times[1]) != 0) return 1;
    for (int which = 0; which < kCalls; ++which) {
      bare[which][round] = times[0][which];
      with[which][round] = times[1][which];
    }
  }
  unlink(path);
  printf("%-16s %10s %10s %10s\n", "call", "bare ns", "with ns", "added ns");
  for (int which = 0; which < kCalls; ++which) {
    const double plain = median(bare[which], rounds), loaded = median(with[which], rounds);
    printf("%-16s %10.1f %10.1f %10.1f\n", kNames[which], plain, loaded, loaded - plain);
  }
  return 0;
}
