// A handler on an alternate stack does I/O while main is inside a call: above or below, it is one level
// deeper.
//
// counts: read>=40 write=41 depth=1
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include "tiny.h"

static int ends[2];

// Completes the read that it interrupts.
static void feed(int number) {
  (void)number;
  const int before = errno;
  MUST(write(ends[1], "f", 1) == 1);
  errno = before;
}

static void* read_on(void* stack_memory) {
  const stack_t stack = {.ss_sp = stack_memory, .ss_size = 1 << 16};
  MUST(sigaltstack(&stack, NULL) == 0);
  for (int i = 0; i < 20; ++i) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
    event._sigev_un._tid = gettid();
    MUST(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    const struct itimerspec once = {{0, 0}, {0, 1000000}};
    MUST(timer_settime(timer, 0, &once, NULL) == 0);
    char byte = 0;
    ssize_t got = 0;
    do got = read(ends[0], &byte, 1);
    while (got == -1 && errno == EINTR);
    MUST(got == 1 && byte == 'f');
    MUST(timer_delete(timer) == 0);
  }
  return NULL;
}

int main(void) {
  MUST(pipe(ends) == 0);
  const struct sigaction action = {.sa_handler = feed, .sa_flags = SA_ONSTACK | SA_RESTART};
  MUST(sigaction(SIGUSR1, &action, NULL) == 0);
  // A block of memory below the thread's stack and one above it, as mmap hands them out downwards.
  char* const above = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, read_on, above) == 0 && pthread_join(thread, NULL) == 0);
  static char below[1 << 16];
  read_on(below);
  say("done\n");
  return 0;
}
