/* One process of bench/burst: does what it is told, a command a line on standard input, an answer a line:
 * "ok NUMBER…" (times in nanoseconds) or "error ERRNO". Processes that start together meet at a barrier in
 * the file that WEIR_BENCH_BARRIER names. The commands are at the end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "weir/burst.h"

enum { kLargest = 4 << 20 };

static weir_fs* fs;
static char* buffer; /* of kLargest bytes, touched */

static long long now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static const char* word(void) {
  const char* const next = strtok(NULL, " ");
  return next == NULL ? "" : next;
}
static long long number(void) { return atoll(word()); }

static void fail(void) { printf("error %d\n", errno == 0 ? EIO : errno); }

/* --- all processes at once --- */

struct barrier {
  atomic_uint arrived;
  atomic_uint turn;
};
static struct barrier* barrier;

static int map_barrier(void) {
  const char* const path = getenv("WEIR_BENCH_BARRIER");
  const int file = path == NULL ? -1 : open(path, O_RDWR);
  if (file < 0) return -1;
  barrier = mmap(NULL, sizeof *barrier, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return barrier == MAP_FAILED ? -1 : 0;
}

static void meet(unsigned parties) {
  const unsigned turn = atomic_load(&barrier->turn);
  if (atomic_fetch_add(&barrier->arrived, 1) + 1 == parties) {
    atomic_store(&barrier->arrived, 0);
    atomic_fetch_add(&barrier->turn, 1);
    syscall(SYS_futex, &barrier->turn, FUTEX_WAKE, 1 << 30, NULL, NULL, 0);
    return;
  }
  const struct timespec patience = {60, 0};
  while (atomic_load(&barrier->turn) == turn)
    if (syscall(SYS_futex, &barrier->turn, FUTEX_WAIT, turn, &patience, NULL, 0) != 0 && errno == ETIMEDOUT)
      _exit(3); /* somebody has died on the way here */
}

/* --- a file of the file system, or a plain one --- */

struct target {
  weir_file* file; /* NULL: `plain` */
  int plain;
};

static int open_target(struct target* target, const char* model, const char* path) {
  *target = (struct target){NULL, -1};
  if (strcmp(model, "raw") == 0)
    target->plain = open(path, O_RDWR | O_CREAT, 0644);
  else
    target->file = weir_open(fs, path, O_RDWR | O_CREAT, 0644, model);
  return target->file == NULL && target->plain < 0 ? -1 : 0;
}

static ssize_t write_target(const struct target* target, size_t bytes, off_t offset) {
  return target->file != NULL ? weir_pwrite(target->file, buffer, bytes, offset)
                              : pwrite(target->plain, buffer, bytes, offset);
}

static int close_target(const struct target* target) {
  return target->file != NULL ? weir_close(target->file) : close(target->plain);
}

static int sync_target(const struct target* target) {
  return target->file != NULL ? weir_fsync(target->file) : 0;
}

/* write MODEL PATH PATTERN BYTES COUNT RANK RANKS SYNC: writes so often, each process its part (own: a file
 * for each; contiguous, strided: of one file), and closes; SYNC 1: fsync after each write. When it began, had
 * opened, had written, had closed. */
static void write_pattern(void) {
  const char* const model = word();
  char path[4096];
  snprintf(path, sizeof path, "%s", word());
  const char* const pattern = word();
  const size_t bytes = (size_t)number();
  const long long count = number(), rank = number(), ranks = number(), sync = number();
  if (bytes > kLargest) {
    errno = EINVAL;
    return fail();
  }
  const int strided = strcmp(pattern, "strided") == 0;
  long long first = strcmp(pattern, "contiguous") == 0 ? rank * count : 0;
  if (strided) first = rank;
  if (strcmp(pattern, "own") == 0) snprintf(path + strlen(path), sizeof path - strlen(path), ".%lld", rank);
  int failed = 0;
  struct target target;
  meet((unsigned)ranks);
  const long long begin = now_ns();
  if (open_target(&target, model, path) != 0) return fail();
  const long long opened = now_ns();
  for (long long i = 0; i < count && !failed; ++i) {
    const off_t offset = (off_t)((first + i * (strided ? ranks : 1)) * (long long)bytes);
    failed = write_target(&target, bytes, offset) != (ssize_t)bytes;
    if (sync && !failed) failed = sync_target(&target) != 0;
  }
  const long long written = now_ns();
  failed |= close_target(&target) != 0;
  if (failed) return fail();
  printf("ok %lld %lld %lld %lld\n", begin, opened, written, now_ns());
}

/* --- single calls --- */

static void pause_for(long long microseconds) {
  const struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
  if (microseconds > 0) nanosleep(&time, NULL);
}

static void compute_for(long long microseconds) {
  for (const long long end = now_ns() + microseconds * 1000; microseconds > 0 && now_ns() < end;) continue;
}

static void answer_times(const long long* times, long long count, int failed) {
  if (failed) return fail();
  printf("ok");
  for (long long i = 0; i < count; ++i) printf(" %lld", times[i]);
  printf("\n");
}

/* call WHAT PATH COUNT PAUSE COMPUTE: attach (of 4 KiB just written) or query (of 4 KiB), after PAUSE
 * microseconds of sleep and COMPUTE of work. */
static void time_calls(void) {
  const int attach = strcmp(word(), "attach") == 0;
  weir_file* const file = weir_open(fs, word(), O_RDWR | O_CREAT, 0644, "none");
  const long long count = number(), apart = number(), work = number();
  if (file == NULL) return fail();
  int failed = weir_pwrite(file, buffer, 4096, 0) != 4096 || weir_attach_file(file) != 0;
  long long* const times = calloc((size_t)count, sizeof *times);
  for (long long i = 0; i < count && !failed; ++i) {
    /* Every other page: none joins the one before. */
    const off_t offset = (off_t)(i % 64 * 8192);
    failed = attach && weir_pwrite(file, buffer, 4096, offset) != 4096;
    pause_for(apart);
    compute_for(work);
    const long long begin = now_ns();
    failed |= (attach ? weir_attach(file, offset, 4096) : weir_query(file, 0, 4096, NULL, NULL)) != 0;
    times[i] = now_ns() - begin;
  }
  failed |= weir_close(file) != 0;
  answer_times(times, count, failed);
  free(times);
}

/* peer PATH COUNT: pieces of 4 MiB of a file that another process has published, one after the other; then
 * memcpy of as many to the same place, out of memory of the file's size, so that no cache serves one and not
 * the other; then the same again. Reads, copies, reads, copies: nanoseconds of each. */
static void read_from_peer(void) {
  weir_file* const file = weir_open(fs, word(), O_RDONLY, 0, "session");
  const long long count = number();
  if (file == NULL) return fail();
  char* const from = malloc((size_t)count * kLargest);
  memset(from, 'm', (size_t)count * kLargest);
  int failed = 0;
  long long* const times = calloc((size_t)count * 4, sizeof *times);
  for (long long i = 0; i < 4 * count && !failed; ++i) {
    const off_t offset = (off_t)(i % count * kLargest);
    const long long begin = now_ns();
    if (i / count % 2 == 0)
      failed = weir_pread(file, buffer, kLargest, offset) != kLargest;
    else
      memcpy(buffer, from + offset, kLargest);
    __asm__ volatile("" ::"r"(buffer) : "memory");
    times[i] = now_ns() - begin;
  }
  failed |= weir_close(file) != 0;
  answer_times(times, 4 * count, failed);
  free(times);
  free(from);
}

/* scatter PATH COUNT BYTES RUN: pieces with a gap after every RUN of them, then one attach: how long the
 * writing took, and the attach. */
static void scatter(void) {
  weir_file* const file = weir_open(fs, word(), O_RDWR | O_CREAT, 0644, "none");
  const long long count = number(), bytes = number(), run = number();
  if (file == NULL || bytes > kLargest) return fail();
  int failed = 0;
  const long long begin = now_ns();
  for (long long i = 0; i < count && !failed; ++i)
    failed = weir_pwrite(file, buffer, (size_t)bytes, (off_t)((i + i / run) * bytes)) != bytes;
  const long long written = now_ns();
  failed |= weir_attach_file(file) != 0;
  const long long attached = now_ns();
  failed |= weir_close(file) != 0;
  if (failed) return fail();
  printf("ok %lld %lld\n", written - begin, attached - written);
}

/* create PREFIX COUNT PARTIES: opens and closes so many new files. From when to when. */
static void create_files(void) {
  const char* const prefix = word();
  const long long count = number();
  char path[4096];
  int failed = 0;
  meet((unsigned)number());
  const long long begin = now_ns();
  for (long long i = 0; i < count && !failed; ++i) {
    snprintf(path, sizeof path, "%s%lld", prefix, i);
    weir_file* const file = weir_open(fs, path, O_WRONLY | O_CREAT | O_EXCL, 0644, "none");
    failed = file == NULL || weir_close(file) != 0;
  }
  if (failed) return fail();
  printf("ok %lld %lld\n", begin, now_ns());
}

/* attaches PREFIX COUNT PARTIES: publishes 64 bytes so often, over 16 files in turn. From when to when. */
static void attach_files(void) {
  enum { kFiles = 16 };
  const char* const prefix = word();
  const long long count = number();
  weir_file* files[kFiles];
  char path[4096];
  int failed = 0;
  for (int i = 0; i < kFiles && !failed; ++i) {
    snprintf(path, sizeof path, "%s%d", prefix, i);
    files[i] = weir_open(fs, path, O_RDWR | O_CREAT, 0644, "none");
    failed = files[i] == NULL;
  }
  meet((unsigned)number());
  const long long begin = now_ns();
  for (long long i = 0; i < count && !failed; ++i) {
    weir_file* const file = files[i % kFiles];
    const off_t offset = (off_t)(i / kFiles * 128);
    failed = weir_pwrite(file, buffer, 64, offset) != 64 || weir_attach(file, offset, 64) != 0;
  }
  const long long end = now_ns();
  for (int i = 0; i < kFiles && !failed; ++i) failed = weir_close(files[i]) != 0;
  if (failed) return fail();
  printf("ok %lld %lld\n", begin, end);
}

/* remove MODEL PATH */
static void remove_file(void) {
  const int raw = strcmp(word(), "raw") == 0;
  const char* const path = word();
  if ((raw ? unlink(path) : weir_unlink(fs, path)) != 0) return fail();
  printf("ok\n");
}

static const struct {
  const char* name;
  void (*run)(void);
} kCommands[] = {{"write", write_pattern}, {"call", time_calls},     {"peer", read_from_peer},
                 {"scatter", scatter},     {"create", create_files}, {"attaches", attach_files},
                 {"remove", remove_file}};

int main(void) {
  char line[8192];
  buffer = malloc(kLargest);
  if (buffer == NULL || map_barrier() != 0) {
    fail();
    return 1;
  }
  memset(buffer, 'w', kLargest);
  fs = weir_fs_connect(NULL);
  if (fs == NULL) {
    fail();
    return 1;
  }
  printf("ok\n");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    const char* const name = strtok(line, " ");
    size_t i = 0;
    const size_t commands = sizeof kCommands / sizeof *kCommands;
    while (name != NULL && i < commands && strcmp(kCommands[i].name, name) != 0) ++i;
    if (name == NULL || i == commands)
      printf("error %d\n", EINVAL);
    else
      kCommands[i].run();
    fflush(stdout);
  }
  return weir_fs_disconnect(fs) == 0 ? 0 : 1;
}
