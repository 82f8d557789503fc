// Waits for children and joins threads in every way there is.
// counts: wait=2 waitpid=2 wait3=1 wait4=1 waitid=1 pthread_create=4 pthread_join=1 pthread_tryjoin_np>=1
// counts: pthread_timedjoin_np=1 pthread_clockjoin_np=1 thrd_create=1 thrd_join=1 depth=0
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>

#include "tiny.h"

pid_t __wait(int* status);
pid_t __waitpid(pid_t child, int* status, int options);

static pid_t child_that_ends_with(int status) {
  const pid_t child = fork();
  MUST(child >= 0);
  if (child == 0) _exit(status);
  return child;
}

static void* thread(void* argument) { return argument; }

static int c11_thread(void* argument) {
  (void)argument;
  return 7;
}

static pthread_t begin(void) {
  pthread_t made;
  MUST(pthread_create(&made, NULL, thread, (void*)1) == 0);
  return made;
}

int main(void) {
  int status = 0;
  struct rusage usage;
  siginfo_t ended;
  pid_t child = child_that_ends_with(1);
  MUST(wait(&status) == child && WEXITSTATUS(status) == 1);
  child = child_that_ends_with(2);
  MUST(__wait(&status) == child && WEXITSTATUS(status) == 2);
  child = child_that_ends_with(3);
  MUST(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
  child = child_that_ends_with(4);
  MUST(__waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 4);
  child = child_that_ends_with(5);
  MUST(wait3(&status, 0, &usage) == child && WEXITSTATUS(status) == 5);
  child = child_that_ends_with(6);
  MUST(wait4(child, &status, 0, &usage) == child && WEXITSTATUS(status) == 6);
  child = child_that_ends_with(7);
  MUST(waitid(P_PID, (id_t)child, &ended, WEXITED) == 0 && ended.si_pid == child && ended.si_status == 7);

  struct timespec later;
  MUST(clock_gettime(CLOCK_REALTIME, &later) == 0);
  later.tv_sec += 60;
  void* outcome = NULL;
  MUST(pthread_join(begin(), &outcome) == 0 && outcome != NULL);
  MUST(pthread_timedjoin_np(begin(), &outcome, &later) == 0);
  MUST(pthread_clockjoin_np(begin(), &outcome, CLOCK_REALTIME, &later) == 0);
  // Tried as often as it takes.
  pthread_t last = begin();
  while (pthread_tryjoin_np(last, &outcome) != 0) {
  }
  thrd_t made;
  MUST(thrd_create(&made, c11_thread, NULL) == thrd_success);
  MUST(thrd_join(made, &status) == thrd_success && status == 7);
  say("done\n");
  return 0;
}
