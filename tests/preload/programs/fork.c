// Children do I/O and end in several ways, also while other threads of the parent are inside calls.
// counts: write>=14 close>=1 pread>=1 _exit>=3 depth=0
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "tiny.h"

static atomic_int stop;

static void* keep_busy(void* unused) {
  (void)unused;
  char byte;
  const int fd = open("/dev/zero", O_RDONLY);
  while (!stop) MUST(pread(fd, &byte, 1, 0) == 1);
  return NULL;
}

static void show(pid_t child) {
  int status = 0;
  MUST(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status))
    say("signal %d\n", WTERMSIG(status));
  else
    say("status %d\n", WEXITSTATUS(status));
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) MUST(pthread_create(&threads[i], NULL, keep_busy, NULL) == 0);
  for (int i = 0; i < 6; ++i) {
    const pid_t child = fork();
    MUST(child >= 0);
    if (child == 0) {
      say("child %d\n", i);
      if (i == 1) exit(11);
      if (i == 2) abort();
      if (i == 3) {
        const pid_t grandchild = fork();
        if (grandchild == 0) {
          say("grandchild\n");
          _exit(5);
        }
        show(grandchild);
      }
      if (i == 4) {
        char name[32];
        const int length = snprintf(name, sizeof name, "from_child_%d", i);
        const int fd = open(name, O_CREAT | O_WRONLY, 0600);
        MUST(write(fd, name, (size_t)length) == length && close(fd) == 0);
      }
      if (i == 5) raise(SIGKILL);
      _exit(20 + i);
    }
    show(child);
  }
  stop = 1;
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  say("parent\n");
  return 3;
}
