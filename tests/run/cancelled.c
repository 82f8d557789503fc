// Cancels threads before, between and in calls of a file system, and prints what became of them. Run on a
// plain directory and through Weir it must print the same (tests/run/calls.py).
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tell.h"

static atomic_bool gone_on;

// Reads or writes on and on; both are points of cancellation.
static void* go_on_until_cancelled(void* what) {
  const int fd = *(const int*)what;
  char byte = 'c';
  for (long i = 0; i < 20000000; ++i)
    if (((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY ? pread(fd, &byte, 1, 0) : pwrite(fd, &byte, 1, 0)) < 0)
      break;
  gone_on = true;
  return NULL;
}

static void cancelled_in_loops(void) {
  int fds[] = {open("cancelled", O_WRONLY | O_CREAT, 0600), open("cancelled", O_RDONLY)};
  for (int i = 0; i < 2; ++i) {
    pthread_t thread;
    void* end = NULL;
    if (pthread_create(&thread, NULL, go_on_until_cancelled, &fds[i]) != 0) exit(2);
    struct stat facts;
    while (!gone_on && fstat(fds[0], &facts) == 0 && facts.st_size == 0) sched_yield();
    TELL(pthread_cancel(thread));
    TELL(pthread_join(thread, &end));
    say("cancelled: %d", end == PTHREAD_CANCELED);
    TELL(pwrite(fds[0], "after", 5, 0));
  }
  close(fds[0]);
  content(fds[1]);
  close(fds[1]);
}

static struct {
  int from, to, printed;
  int steps;
  long gave[9];
  int point;  // which call
} late;

static void done(long result) { late.gave[late.steps++] = result; }

// What is no point of cancellation goes on when there is a cancellation to come.
static void* work_while_cancelled(void* unused) {
  (void)unused;
  char text[] = "written";
  char bytes[8] = "";
  off_t at = 2;
  struct stat facts;
  struct aiocb write_request = {.aio_fildes = late.to, .aio_buf = text, .aio_nbytes = 7, .aio_offset = 20};
  struct aiocb read_request = {.aio_fildes = late.from, .aio_buf = bytes, .aio_nbytes = 4};
  write_request.aio_sigevent.sigev_notify = read_request.aio_sigevent.sigev_notify = SIGEV_NONE;
  pthread_cancel(pthread_self());
  done(sendfile(late.to, late.from, &at, 6));
  done(sendfile(late.to, late.from, NULL, 3));
  done(at);
  done(aio_write(&write_request));
  while (aio_error(&write_request) == EINPROGRESS) sched_yield();
  done(aio_return(&write_request));
  done(aio_read(&read_request));
  while (aio_error(&read_request) == EINPROGRESS) sched_yield();
  done(aio_return(&read_request));
  done(dup2(late.printed, 1));  // of what was printed before
  done(stat("to", &facts) + rename("from", "from2"));
  read(late.from, bytes, 1);
  done(-1);
  return NULL;
}

// Each of them is a point of cancellation, and does nothing then.
static void* make_a_call(void* unused) {
  (void)unused;
  char bytes[8] = "";
  const struct iovec parts[] = {{bytes, 2}, {bytes + 2, 2}};
  pthread_cancel(pthread_self());
  switch (late.point) {
    case 0:
      read(late.from, bytes, 4);
      break;
    case 1:
      readv(late.from, parts, 2);
      break;
    case 2:
      preadv2(late.from, parts, 2, -1, 0);
      break;
    case 3:
      write(late.to, bytes, 4);
      break;
    case 4:
      writev(late.to, parts, 2);
      break;
    case 5:
      pwritev(late.to, parts, 2, 100);
      break;
    case 6:
      copy_file_range(late.from, NULL, late.to, NULL, 4, 0);
      break;
    case 7:
      fsync(late.to);
      break;
    default:
      close(late.to);
  }
  return NULL;
}

// Reads at a position that other processes share.
static void* read_in_turn(void* unused) {
  (void)unused;
  char byte;
  while (read(late.from, &byte, 1) >= 0) gone_on = true;
  return NULL;
}

static bool ends_cancelled(void* (*work)(void*), bool cancels) {
  pthread_t thread;
  void* end = NULL;
  gone_on = false;
  if (pthread_create(&thread, NULL, work, NULL) != 0) exit(2);
  while (cancels && !gone_on) sched_yield();
  if (cancels) pthread_cancel(thread);
  pthread_join(thread, &end);
  return end == PTHREAD_CANCELED;
}

static void cancelled_before_calls(void) {
  say("-- a cancellation to come");
  late.from = open("from", O_RDWR | O_CREAT | O_TRUNC, 0600);
  late.to = open("to", O_RDWR | O_CREAT | O_TRUNC, 0600);
  late.printed = open("printed late", O_RDWR | O_CREAT | O_TRUNC, 0600);
  TELL(write(late.from, "source text", 11));
  TELL(lseek(late.from, 1, SEEK_SET));
  fflush(stdout);
  const int kept = dup(1);
  printf("%20000s\n", "pending");
  const bool at_the_read = ends_cancelled(work_while_cancelled, false);
  fflush(stdout);
  dup2(kept, 1);
  close(kept);
  say("cancelled: %d after %d", at_the_read, late.steps);
  for (int i = 0; i < late.steps; ++i) say("  %ld", late.gave[i]);
  TELL(lseek(late.from, 0, SEEK_CUR));
  TELL(lseek(late.printed, 0, SEEK_END));
  content(late.to);
  for (late.point = 0; late.point <= 8; ++late.point)
    say("call %d: %d", late.point, ends_cancelled(make_a_call, false));
  TELL(lseek(late.from, 0, SEEK_CUR));
  TELL(lseek(late.to, 0, SEEK_CUR));
  content(late.to);
  close(late.from);
  close(late.to);
  close(late.printed);
}

static void cancelled_in_turns(void) {
  say("-- at a shared position");
  late.from = open("from2", O_RDONLY);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, NULL, 0);
  int all = 0;
  for (int i = 0; i < 40; ++i) all += ends_cancelled(read_in_turn, true);
  say("cancelled: %d", all);
  TELL(lseek(late.from, 0, SEEK_SET));
  content(late.from);
  close(late.from);
}

static void* look(void* unused) {
  (void)unused;
  struct stat facts;
  pthread_cancel(pthread_self());
  late.gave[0] = stat("not there", &facts);
  return NULL;
}

// The first call of a process does more than others.
static void cancelled_before_the_first_call(void) {
  say("-- the first call");
  late.gave[0] = 0;
  const bool at_the_call = ends_cancelled(look, false);
  say("cancelled: %d gave %ld", at_the_call, late.gave[0]);
}

int main(int argc, char** argv) {
  if (argc < 2 || chdir(argv[1]) != 0) return 2;
  static char room[1 << 16];
  setvbuf(stdout, room, _IOFBF, sizeof room);
  cancelled_before_the_first_call();
  cancelled_in_loops();
  cancelled_before_calls();
  cancelled_in_turns();
  return 0;
}
