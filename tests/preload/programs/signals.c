// A storm of signals: the handler does I/O at any instruction of the calls main makes, and none is lost.
// counts: write>=1500 pread>=1 pwrite>=1
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

#include "tiny.h"

enum { kSignals = 1500 };
static int log_fd;
static atomic_int handled;
static atomic_int failed;

static void on_signal(int number) {
  (void)number;
  const int before = errno;
  if (handled < kSignals) {
    if (write(log_fd, "s", 1) != 1) failed = failed + 1;
    if (write(-1, "s", 1) != -1 || errno != EBADF) failed = failed + 1;
    handled = handled + 1;
  }
  errno = before;
}

int main(void) {
  log_fd = open("log", O_CREAT | O_WRONLY | O_APPEND, 0600);
  const int data = open("data", O_CREAT | O_RDWR, 0600);
  MUST(log_fd >= 0 && data >= 0);
  const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  MUST(sigaction(SIGALRM, &action, NULL) == 0);
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  MUST(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  const struct itimerspec often = {{0, 40000}, {0, 40000}};
  MUST(timer_settime(timer, 0, &often, NULL) == 0);
  while (handled < kSignals) {
    char out = 'd';
    char in = 0;
    errno = 77;
    MUST(pwrite(data, &out, 1, 0) == 1 && pread(data, &in, 1, 0) == 1 && in == out && errno == 77);
    MUST(pread(-1, &in, 1, 0) == -1 && errno == EBADF);
  }
  MUST(timer_delete(timer) == 0);
  struct stat seen;
  MUST(fstat(log_fd, &seen) == 0 && seen.st_size == kSignals && failed == 0);
  say("%d signals\n", kSignals);
  return 0;
}
