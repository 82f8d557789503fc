// Ends by a signal with data in a stdio buffer: the same status, and the same bytes lost.
// counts: write=1 fwrite=1 fopen=1 depth=0
#include <signal.h>
#include <sys/resource.h>

#include "tiny.h"

int main(void) {
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  FILE* const file = fopen("lost", "w");
  MUST(file != NULL && fwrite("lost", 1, 4, file) == 4);
  say("before\n");
  raise(SIGSEGV);
  return 0;
}
