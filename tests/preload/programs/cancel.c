// Threads cancelled inside read() unwind through the shim; their cleanup handlers do I/O.
// counts: read=30 write>=62 depth=0 pread=30
#include <fcntl.h>
#include <pthread.h>

#include "tiny.h"

static int pipe_ends[2];

static void clean_up(void* text) {
  errno = 0;
  say("cleanup %s\n", (const char*)text);
  if (write(-1, "x", 1) == -1 && errno != EBADF) say("errno %d\n", errno);
}

static void* wait_for_data(void* ready) {
  pthread_cleanup_push(clean_up, "outer");
  pthread_cleanup_push(clean_up, "inner");
  char byte;
  pthread_barrier_wait(ready);
  if (read(pipe_ends[0], &byte, 1) != 1) say("read came back\n");
  say("not cancelled\n");
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return NULL;
}

int main(void) {
  MUST(pipe(pipe_ends) == 0);
  const int zero = open("/dev/zero", O_RDONLY);
  for (int i = 0; i < 30; ++i) {
    pthread_barrier_t ready;
    pthread_t thread;
    void* result = NULL;
    char byte;
    MUST(pthread_barrier_init(&ready, NULL, 2) == 0 &&
         pthread_create(&thread, NULL, wait_for_data, &ready) == 0);
    pthread_barrier_wait(&ready);
    MUST(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
    MUST(result == PTHREAD_CANCELED);
    pthread_barrier_destroy(&ready);
    MUST(pread(zero, &byte, 1, 0) == 1);
  }
  say("all cancelled\n");
  return 0;
}
