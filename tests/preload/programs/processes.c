// Every way to start, replace and leave a process.
// counts: fork=15 _Fork=1 execve=1 execv=2 execvp=1 execvpe=1 execl=2 execle=1 execlp=1 fexecve=1
// execveat=1 posix_spawn=1 posix_spawnp=1 system=1 exit=1 _exit>=5 _Exit=1 quick_exit=1 daemon=1 depth=0
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include "tiny.h"

extern char** environ;

static void hook(void) { say("a hook of quick_exit\n"); }

#define IN_CHILD(call)                           \
  do {                                           \
    const pid_t child = fork();                  \
    if (child == 0) {                            \
      (void)(call);                              \
      _exit(111);                                \
    }                                            \
    int status = 0;                              \
    MUST(waitpid(child, &status, 0) == child);   \
    say("%s: %d\n", #call, WEXITSTATUS(status)); \
  } while (0)

#define ENDS(call) IN_CHILD((call, 0))

int main(int argc, char** argv) {
  if (argc > 1) {
    for (int i = 1; i < argc; ++i) say("%s%s", argv[i], i + 1 < argc ? " " : "\n");
    const char* const value = getenv("GIVEN");
    if (value != NULL) say("%s\n", value);
    return argc;
  }
  const char* const self = "/proc/self/exe";
  char* const words[] = {"program", "one", NULL};
  // The preload library must stay in the environment for its counts.
  char preload[4096] = "NOTHING=";
  char counts[4096] = "NOTHING=";
  if (getenv("LD_PRELOAD") != NULL) snprintf(preload, sizeof preload, "LD_PRELOAD=%s", getenv("LD_PRELOAD"));
  snprintf(counts, sizeof counts, "WEIR_TEST_COUNTS=%s", getenv("WEIR_TEST_COUNTS"));
  char* const given[] = {"GIVEN=value", preload, counts, NULL};
  IN_CHILD(execve(self, words, given));
  IN_CHILD(execv(self, words));
  IN_CHILD(execv("missing", words));
  IN_CHILD(execvp("true", words));
  IN_CHILD(execvpe("missing", words, given));
  IN_CHILD(execl(self, "program", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", (char*)NULL));
  IN_CHILD(execl("missing", "program", (char*)NULL));
  IN_CHILD(execle(self, "program", "listed", (char*)NULL, given));
  IN_CHILD(execlp("sh", "sh", "-c", "exit 7", (char*)NULL));
  const int program = open(self, O_RDONLY | O_CLOEXEC);
  IN_CHILD(fexecve(program, words, given));
  IN_CHILD(execveat(program, "", words, given, AT_EMPTY_PATH));
  ENDS(exit(3));
  ENDS(_Exit(4));
  ENDS((at_quick_exit(hook), quick_exit(5)));
  const pid_t plain = _Fork();
  if (plain == 0) _exit(6);
  int status = 0;
  MUST(waitpid(plain, &status, 0) == plain);
  say("_Fork: %d\n", WEXITSTATUS(status));
  pid_t child = 0;
  MUST(posix_spawn(&child, self, NULL, NULL, words, given) == 0 && waitpid(child, &status, 0) == child);
  say("posix_spawn: %d\n", WEXITSTATUS(status));
  TELL(posix_spawnp(&child, "missing program", NULL, NULL, words, given));
  TELL(system("exit 9"));
  const pid_t leader = fork();
  if (leader == 0) _exit(daemon(1, 0) == 0 ? 0 : 1);
  MUST(waitpid(leader, &status, 0) == leader);
  say("daemon: %d\n", WEXITSTATUS(status));
  return 0;
}
