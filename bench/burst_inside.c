// What a call on a file of the burst buffer costs a program that knows nothing of it, and one that uses the
// client library, in nanoseconds, a call a line:
//   burst_inside plain|client FILE
// `plain` is to be started with libweir-burst.so preloaded (bench/run_figures.py does); the job is that of
// WEIR_JOB.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "weir/burst.h"

enum { kBytes = 64, kRegion = 1 << 16, kCount = 4000, kBatches = 15, kCalls = 4 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int fd = -1;
static weir_file* file = NULL;
static char bytes[kBytes];

static int call(int which, int i) {
  const off_t at = (off_t)i * kBytes % kRegion;
  switch (which) {
    case 0:
      return (file ? weir_pwrite(file, bytes, kBytes, at) : pwrite(fd, bytes, kBytes, at)) == kBytes;
    case 1:
      return (file ? weir_pread(file, bytes, kBytes, at) : pread(fd, bytes, kBytes, at)) == kBytes;
    case 2:
      if (i % (kRegion / kBytes) == 0 && (file ? weir_seek(file, 0, SEEK_SET) : lseek(fd, 0, SEEK_SET)) != 0)
        return 0;
      return (file ? weir_write(file, bytes, kBytes) : write(fd, bytes, kBytes)) == kBytes;
    default:
      if (i % (kRegion / kBytes) == 0 && (file ? weir_seek(file, 0, SEEK_SET) : lseek(fd, 0, SEEK_SET)) != 0)
        return 0;
      return (file ? weir_read(file, bytes, kBytes) : read(fd, bytes, kBytes)) == kBytes;
  }
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  weir_fs* system = NULL;
  if (strcmp(argv[1], "client") == 0) {
    system = weir_fs_connect(NULL);
    file = system ? weir_open(system, argv[2], O_RDWR | O_CREAT, 0600, NULL) : NULL;
    if (file == NULL) return 1;
  } else {
    fd = open(argv[2], O_RDWR | O_CREAT, 0600);
    if (fd < 0) return 1;
  }
  for (int which = 0; which < kCalls; ++which) {
    // The shortest of some batches: what others do on the machine only adds.
    double best = 1e18;
    for (int batch = 0; batch < kBatches; ++batch) {
      const double begin = now();
      for (int i = 0; i < kCount; ++i)
        if (!call(which, i)) return 1;
      const double each = (now() - begin) / kCount;
      if (each < best) best = each;
    }
    printf("%f\n", best);
  }
  if (file != NULL) {
    weir_close(file);
    weir_fs_disconnect(system);
  } else {
    close(fd);
  }
  return 0;
}
