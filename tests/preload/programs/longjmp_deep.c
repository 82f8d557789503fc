// As longjmp.c, but the calls after the jump come from deeper in the stack than the one that was left: they
// can not be told from calls inside it, and count as depth 1 until one comes from as high up. The program
// does not notice.
//
// counts: read=2 write=2 depth=1
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include "tiny.h"

static sigjmp_buf back;
static void jump(int number) { siglongjmp(back, number); }

int main(void) {
  int ends[2];
  MUST(pipe(ends) == 0);
  const struct sigaction action = {.sa_handler = jump};
  MUST(sigaction(SIGALRM, &action, NULL) == 0);
  for (volatile int i = 0; i < 2; ++i) {
    if (sigsetjmp(back, 1) == 0) {
      const struct itimerval soon = {{0, 0}, {0, 2000}};
      MUST(setitimer(ITIMER_REAL, &soon, NULL) == 0);
      char byte;
      while (read(ends[0], &byte, 1) != 1) continue;
    }
    say("jumped\n");
  }
  return 0;
}
