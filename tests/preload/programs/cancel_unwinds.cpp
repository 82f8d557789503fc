// The same in C++: destructors run while the thread unwinds, and do I/O.
// counts: read=20 write=41 depth=0
#include <pthread.h>

#include "tiny.h"

namespace {

int pipe_ends[2];

struct Farewell {
  ~Farewell() { say("destructor\n"); }
};

void* wait_for_data(void* ready) {
  const Farewell farewell;
  char byte = 0;
  pthread_barrier_wait(static_cast<pthread_barrier_t*>(ready));
  try {
    if (read(pipe_ends[0], &byte, 1) != 1) say("read came back\n");
  } catch (...) {
    say("unwinding\n");
    throw;
  }
  return nullptr;
}

}  // namespace

int main() {
  MUST(pipe(pipe_ends) == 0);
  for (int i = 0; i < 20; ++i) {
    pthread_barrier_t ready;
    pthread_t thread{};
    void* result = nullptr;
    MUST(pthread_barrier_init(&ready, nullptr, 2) == 0);
    MUST(pthread_create(&thread, nullptr, wait_for_data, &ready) == 0);
    pthread_barrier_wait(&ready);
    MUST(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
    MUST(result == PTHREAD_CANCELED);
    pthread_barrier_destroy(&ready);
  }
  say("all cancelled\n");
  return 0;
}
