/* Works until it dies: threads that open, write and close files of their own, and count each call they have
   made.

   Usage: busy COUNTERS THREADS CALLS [CALL HOW]

   COUNTERS is a file that maps the process's number and one counter per thread, 64 bytes apart. Thread 0 ends
   the process at its call CALL by HOW: abort, segv, term, _exit or exec (of itself, with one thread and ten
   calls on files of thread 9). Thread N uses files tN_M for M = 0, 1, ... */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include "tiny.h"

enum { kSlot = 8, kSlots = 64, kCallsPerFile = 5000 };
static volatile int64_t* counters;
static long calls, last_call = -1;
static const char* how = "";
static char** words;

static void end_it(void) {
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "segv") == 0) *(volatile int*)counters[kSlot * (kSlots - 1)] = 1; /* null */
  if (strcmp(how, "term") == 0) kill(getpid(), SIGTERM);
  if (strcmp(how, "_exit") == 0) _exit(5);
  if (strcmp(how, "exec") == 0) {
    char* again[] = {words[0], words[1], "-9", "10", NULL};
    execv("/proc/self/exe", again);
  }
  _exit(99);
}

static void* work(void* argument) {
  const int n = (int)(intptr_t)argument;
  volatile int64_t* const counter = counters + kSlot * (n + 1);
  char data[64] = {0};
  uint64_t state = (uint64_t)n;
  int fd = -1;
  for (long i = 0; i < calls; ++i) {
    if (i == last_call && n == 0) end_it();
    if (i % kCallsPerFile == 0) {
      char name[32];
      snprintf(name, sizeof name, "t%d_%ld", n, i / kCallsPerFile % 3);
      fd = open(name, O_RDWR | O_CREAT, 0600);
    } else if (i % kCallsPerFile == kCallsPerFile - 1) {
      close(fd);
    } else if (i % 8 == 0) {
      IGNORE(pwrite(fd, data, 1 + next_random(&state) % 64, next_random(&state) % 1000000));
    } else {
      IGNORE(pwrite(fd, data, 64, i % 10000 * 64));
    }
    *counter = i + 1;
  }
  return NULL;
}

int main(int count, char** arguments) {
  if (count < 4) return 2;
  words = arguments;
  const int fd = open(words[1], O_RDWR | O_CREAT, 0600);
  IGNORE(ftruncate(fd, kSlots * kSlot * 8));
  counters = mmap(NULL, kSlots * kSlot * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  counters[0] = getpid();
  calls = atol(words[3]);
  if (count > 5) {
    last_call = atol(words[4]);
    how = words[5];
  }
  const int threads = atoi(words[2]);
  if (threads < 0) { /* only thread -threads, here */
    work((void*)(intptr_t)-threads);
    return 6;
  }
  pthread_t started[16];
  for (int i = 0; i < threads; ++i) pthread_create(&started[i], NULL, work, (void*)(intptr_t)i);
  for (int i = 0; i < threads; ++i) pthread_join(started[i], NULL);
  return 0;
}
