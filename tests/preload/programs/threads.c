// Many threads at once: each writes and reads back its own part, opens and closes.
// counts: pwrite=3200 pread=3200 open>=33 close=32 depth=0 processes=1
#include <fcntl.h>
#include <pthread.h>

#include "tiny.h"

enum { kThreads = 8, kRounds = 400, kBlock = 64 };
static int shared_fd;
static pthread_barrier_t start;

static void* work(void* number) {
  const long me = (long)number;
  char out[kBlock];
  char in[kBlock];
  pthread_barrier_wait(&start);
  for (long i = 0; i < kRounds; ++i) {
    memset(out, (int)('a' + (me + i) % 26), sizeof out);
    const off_t at = (me * kRounds + i) * kBlock;
    if (pwrite(shared_fd, out, sizeof out, at) != kBlock || pread(shared_fd, in, sizeof in, at) != kBlock)
      return "io";
    if (memcmp(in, out, sizeof in) != 0) return "data";
    errno = (int)me + 1;
    if (i % 100 == 0 && close(open("/dev/null", O_RDONLY)) != 0) return "close";
    if (errno != (int)me + 1) return "errno";
  }
  return NULL;
}

int main(void) {
  shared_fd = open("data", O_CREAT | O_RDWR, 0600);
  MUST(shared_fd >= 0 && pthread_barrier_init(&start, NULL, kThreads) == 0);
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) MUST(pthread_create(&threads[i], NULL, work, (void*)i) == 0);
  for (long i = 0; i < kThreads; ++i) {
    void* wrong = NULL;
    MUST(pthread_join(threads[i], &wrong) == 0);
    say("thread %ld: %s\n", i, wrong == NULL ? "ok" : (const char*)wrong);
  }
  return 0;
}
