// posix_spawn, system and popen; their programs are preloaded too.
// counts: write>=3 processes>=4
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include "tiny.h"

extern char** environ;

int main(void) {
  posix_spawn_file_actions_t actions;
  MUST(posix_spawn_file_actions_init(&actions) == 0);
  MUST(posix_spawn_file_actions_addopen(&actions, 1, "spawned", O_CREAT | O_WRONLY, 0600) == 0);
  char* const argv[] = {"echo", "from", "posix_spawn", NULL};
  pid_t child = 0;
  int status = 0;
  MUST(posix_spawn(&child, "/bin/echo", &actions, NULL, argv, environ) == 0);
  MUST(waitpid(child, &status, 0) == child);
  say("spawn %d\n", WEXITSTATUS(status));
  MUST(posix_spawn(&child, "/missing", NULL, NULL, argv, environ) == ENOENT);
  status = system("echo to a shell; cat spawned; exit 3");
  say("system %d\n", WEXITSTATUS(status));
  FILE* const pipe = popen("/bin/echo through a pipe; exit 4", "r");
  char line[64] = {0};
  MUST(pipe != NULL && fgets(line, sizeof line, pipe) != NULL);
  status = pclose(pipe);
  say("popen %s %d\n", line, WEXITSTATUS(status));
  return 0;
}
