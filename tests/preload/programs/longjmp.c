// A signal handler jumps out of read(): the call never ends, and the calls after it are still at depth 0.
// (On a busy machine the signal may come before the read; the jump is then out of nothing.)
//
// counts: read>=1 write=26 depth=0
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include "tiny.h"

static sigjmp_buf back;
static void jump(int number) { siglongjmp(back, number); }

#define LINE(text) MUST(write(STDOUT_FILENO, text "\n", sizeof text) == (ssize_t)sizeof text)

int main(void) {
  int ends[2];
  MUST(pipe(ends) == 0);
  const struct sigaction action = {.sa_handler = jump};
  MUST(sigaction(SIGALRM, &action, NULL) == 0);
  for (volatile int i = 0; i < 25; ++i) {
    if (sigsetjmp(back, 1) == 0) {
      const struct itimerval soon = {{0, 0}, {0, 2000}};
      MUST(setitimer(ITIMER_REAL, &soon, NULL) == 0);
      char byte;
      while (read(ends[0], &byte, 1) != 1) continue;
    }
    LINE("jumped");
  }
  LINE("done");
  return 0;
}
