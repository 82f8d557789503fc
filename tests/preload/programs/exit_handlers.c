// I/O after main: exit handlers, a destructor, and what stdio flushes at the end.
// counts: write=5 open=2 close=2 fopen=1 fwrite=1 depth=0
#include <fcntl.h>

#include "tiny.h"

static void first(void) { say("registered first, runs last\n"); }
static void second(void) {
  const int fd = open("from_atexit", O_CREAT | O_WRONLY, 0600);
  MUST(fd >= 0 && write(fd, "atexit", 6) == 6 && close(fd) == 0);
}
static void with_status(int status, void* text) { say("on_exit %d %s\n", status, (const char*)text); }

__attribute__((destructor)) static void destruct(void) {
  const int fd = open("/dev/null", O_WRONLY);
  say("destructor %d\n", fd >= 0);
  close(fd);
}

int main(void) {
  MUST(atexit(first) == 0 && atexit(second) == 0 && on_exit(with_status, "text") == 0);
  FILE* const left_open = fopen("left_open", "w");
  MUST(left_open != NULL && fwrite("buffered", 1, 8, left_open) == 8);
  say("main\n");
  exit(17);
}
