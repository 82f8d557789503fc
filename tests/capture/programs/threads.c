/* Eight threads, each on a file of its own and all on one. Opening and closing go in turn, so that
   descriptors have the same numbers in every run; what lies between is concurrent. */
#include <pthread.h>

#include "tiny.h"

enum { kThreads = 8 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static int turn;
static int shared;

static void take_turn(int n) {
  pthread_mutex_lock(&lock);
  while (turn != n) pthread_cond_wait(&passed, &lock);
  pthread_mutex_unlock(&lock);
}

static void pass_turn(void) {
  pthread_mutex_lock(&lock);
  ++turn;
  pthread_cond_broadcast(&passed);
  pthread_mutex_unlock(&lock);
}

static void* work(void* argument) {
  const int n = (int)(intptr_t)argument;
  char name[] = "thread_0";
  name[7] = (char)('0' + n);
  char data[256] = {0};
  take_turn(n);
  const int fd = open(name, O_RDWR | O_CREAT, 0600);
  pass_turn();
  for (int i = 0; i < 150; ++i) {
    IGNORE(pwrite(fd, data, 100, i * 100));
    IGNORE(pwrite(shared, data, 64, (i * kThreads + n) * 64));
    if (i % 16 == n) IGNORE(fsync(fd));
  }
  take_turn(kThreads + n);
  IGNORE(close(fd));
  pass_turn();
  return NULL;
}

int main(void) {
  shared = open("shared", O_RDWR | O_CREAT, 0600);
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, (void*)(intptr_t)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  IGNORE(close(shared));
  return 0;
}
