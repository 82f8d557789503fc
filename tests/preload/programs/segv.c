// A handler for SIGSEGV that writes and leaves; then the stack overflows and the handler runs on a stack of
// its own.
//
// counts: write=3 _exit=2 depth=0
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "tiny.h"

static void on_segv(int number) {
  say("signal %d\n", number);
  _exit(42);
}

static int overflow(volatile char* above) {
  volatile char here[4096];
  here[0] = above[0];
  return overflow(here) + here[0];
}

int main(void) {
  static char own_stack[1 << 16];
  const stack_t stack = {.ss_sp = own_stack, .ss_size = sizeof own_stack};
  MUST(sigaltstack(&stack, NULL) == 0);
  const struct sigaction action = {.sa_handler = on_segv, .sa_flags = SA_ONSTACK};
  MUST(sigaction(SIGSEGV, &action, NULL) == 0);
  const pid_t child = fork();
  if (child == 0) {
    char top = 0;
    return overflow(&top);
  }
  int status = 0;
  MUST(waitpid(child, &status, 0) == child);
  say("child %d\n", WEXITSTATUS(status));
  volatile char* const page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  page[0] = 1;
  return 0;
}
