// Random operations on one file by several processes in turn, each compared with an array of bytes that all
// share:  exerciser FILE posix|commit|session PROCESSES OPERATIONS SEED [EXPECTED]
// They synchronise as the model asks: under commit a process syncs before its turn ends, under session it
// closes and opens the file. Ends with 1 at the first difference, which it describes.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kMost = 1 << 18, kLongest = 20000, kTurn = 64 };

struct shared {
  unsigned char bytes[kMost];
  long size;
  long done;
  uint64_t random;
};

static struct shared* model;
static const char* path;
static int fd = -1;
static unsigned char buffer[kMost];

static uint64_t draw(uint64_t below) {  // xorshift: the sequence belongs to all processes together
  model->random ^= model->random << 13;
  model->random ^= model->random >> 7;
  model->random ^= model->random << 17;
  return (model->random >> 11) % below;
}

static void fail(const char* what, long at, long length) {
  fprintf(stderr, "operation %ld, %s at %ld of %ld bytes (file %ld): %s\n", model->done, what, at, length,
          model->size, strerror(errno));
  exit(1);
}

static void compare(const char* what, const unsigned char* got, long at, long length) {
  for (long i = 0; i < length; ++i)
    if (got[i] != model->bytes[at + i]) {
      fprintf(stderr, "operation %ld, %s: byte %ld is %d, not %d (read %ld to %ld of %ld)\n", model->done,
              what, at + i, got[i], model->bytes[at + i], at, at + length, model->size);
      exit(1);
    }
}

static void open_again(int flags) {
  if (fd >= 0 && close(fd) != 0) fail("close", 0, 0);
  fd = open(path, O_RDWR | flags, 0644);
  if (fd < 0) fail("open", 0, 0);
}

static void fill(long at, long length) {
  for (long i = 0; i < length; ++i) model->bytes[at + i] = buffer[i] = (unsigned char)draw(256);
  if (at + length > model->size) model->size = at + length;
}

static void do_read(void) {
  const long at = (long)draw(kMost), length = 1 + (long)draw(kLongest);
  const long there = at >= model->size ? 0 : model->size - at < length ? model->size - at : length;
  long got;
  if (draw(2)) {
    got = pread(fd, buffer, length, at);
  } else {
    if (lseek(fd, at, SEEK_SET) != at) fail("lseek", at, length);
    got = read(fd, buffer, length);
  }
  if (got != there) fail("read", at, got);
  compare("read", buffer, at, got);
}

static void do_write(void) {
  const long length = 1 + (long)draw(kLongest), at = (long)draw(kMost - length);
  fill(at, length);
  long put;
  if (draw(2)) {
    put = pwrite(fd, buffer, length, at);
  } else {
    if (lseek(fd, at, SEEK_SET) != at) fail("lseek", at, length);
    put = write(fd, buffer, length);
  }
  if (put != length) fail("write", at, put);
}

static void do_append(void) {
  const long length = 1 + (long)draw(1000);
  if (model->size + length > kMost) return;
  const int appending = open(path, O_WRONLY | O_APPEND);
  if (appending < 0) fail("open to append", 0, 0);
  fill(model->size, length);
  if (write(appending, buffer, length) != length) fail("append", model->size, length);
  if (close(appending) != 0) fail("close", 0, 0);
}

static void do_truncate(void) {
  const long size = (long)draw(kMost);
  if (ftruncate(fd, size) != 0) fail("truncate", size, 0);
  if (size < model->size) memset(model->bytes + size, 0, model->size - size);
  model->size = size;
}

static void do_stat(void) {
  struct stat status;
  if (fstat(fd, &status) != 0) fail("fstat", 0, 0);
  if (status.st_size != model->size) fail("size", status.st_size, model->size);
  if (lseek(fd, 0, SEEK_END) != model->size) fail("end", 0, model->size);
}

static void do_map(void) {
  if (model->size < 2) return;
  const long length = model->size;
  unsigned char* const mapped = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) fail("mmap", 0, length);
  compare("mapped", mapped, 0, length);
  const long at = (long)draw(length), part = 1 + (long)draw(length - at < 500 ? length - at : 500);
  fill(at, part);
  memcpy(mapped + at, buffer, part);
  if (msync(mapped, length, MS_SYNC) != 0) fail("msync", at, part);
  if (munmap(mapped, length) != 0) fail("munmap", at, part);
  if (pread(fd, buffer, part, at) != part) fail("read of what was mapped", at, part);
  compare("after msync", buffer, at, part);
}

static void turn(const char* consistency) {
  for (int i = 0; i < kTurn; ++i, ++model->done) {
    const uint64_t what = draw(100);
    if (what < 40)
      do_read();
    else if (what < 75)
      do_write();
    else if (what < 83)
      do_append();
    else if (what < 87)
      do_truncate();
    else if (what < 93)
      do_stat();
    else if (what < 95)
      do_map();
    else
      open_again(0);
  }
  if (strcmp(consistency, "session") == 0) {
    if (close(fd) != 0) fail("close", 0, 0);
    fd = -1;
  } else if (strcmp(consistency, "commit") == 0 && fsync(fd) != 0) {
    fail("fsync", 0, 0);
  }
}

int main(int argc, char** argv) {
  if (argc < 6 || argc > 7) return 2;
  path = argv[1];
  const int processes = atoi(argv[3]);
  const long operations = atol(argv[4]);
  model = mmap(NULL, sizeof *model, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  model->random = strtoull(argv[5], NULL, 10) * 2654435761u + 88172645463325252u;
  int ring[64][2];
  pid_t children[64];
  for (int i = 0; i < processes; ++i)
    if (pipe(ring[i]) != 0) return 2;
  const int made = open(path, O_CREAT | O_TRUNC | O_RDWR, 0644);
  if (made < 0) fail("create", 0, 0);
  close(made);
  for (int p = 0; p < processes; ++p) {
    if ((children[p] = fork()) != 0) continue;
    if (strcmp(argv[2], "session") != 0) open_again(0);
    for (;;) {
      char token = 0;
      if (read(ring[p][0], &token, 1) != 1) _exit(3);
      const int over = model->done >= operations;
      if (!over) {
        if (fd < 0) open_again(0);
        turn(argv[2]);
      }
      if (write(ring[(p + 1) % processes][1], &token, 1) != 1) _exit(3);
      if (over) exit(0);
    }
  }
  if (write(ring[0][1], "t", 1) != 1) return 2;
  int failed = 0;
  for (int p = 0; p < processes; ++p) {
    int status = 0;
    wait(&status);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      failed = 1;
      break;  // the others wait for a token that does not come
    }
  }
  for (int p = 0; failed && p < processes; ++p) kill(children[p], SIGKILL);
  if (failed) return 1;
  if (argc == 7) {
    FILE* const expected = fopen(argv[6], "wb");
    if (expected == NULL || fwrite(model->bytes, 1, (size_t)model->size, expected) != (size_t)model->size ||
        fclose(expected) != 0)
      fail("write of what is expected", 0, model->size);
  }
  printf("%ld operations, %ld bytes\n", model->done, model->size);
  return 0;
}
