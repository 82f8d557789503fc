// A vforked child runs in its parent's memory until it execs, exits or dies: nothing of it may stay behind.
// counts: execve=8 _exit=4 dup2=4 depth=0
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "tiny.h"

extern char** environ;

// All calls are made from main, so that its children's frames and its own are at the same height of the
// stack.
#define LINE(text) MUST(write(STDOUT_FILENO, text "\n", sizeof text) == (ssize_t)sizeof text)

int main(int argc, char** argv) {
  if (argc > 1) {
    LINE("executed");
    return atoi(argv[1]);
  }
  char* const child_argv[] = {argv[0], "6", NULL};
  int status = 0;
  for (volatile int i = 0; i < 4; ++i) {
    pid_t child = vfork();
    if (child == 0) {
      if (dup2(STDOUT_FILENO, 9) != 9) _exit(1);
      execve("/proc/self/exe", child_argv, environ);
      _exit(2);
    }
    MUST(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 6);
    LINE("parent after exec");

    child = vfork();
    if (child == 0) {
      execve("/missing/program", child_argv, environ);
      LINE("child could not exec");
      _exit(127);
    }
    MUST(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 127);
    LINE("parent after _exit");

    int ends[2];
    MUST(pipe(ends) == 0 && close(ends[0]) == 0);
    child = vfork();
    if (child == 0) {
      signal(SIGPIPE, SIG_DFL);
      write(ends[1], "x", 1) == 1 ? _exit(1) : _exit(2);
    }
    MUST(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
    MUST(close(ends[1]) == 0);
    LINE("parent after its child was killed inside write");
  }
  return 0;
}
