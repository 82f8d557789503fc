/* Children that go on, children that become this program again (execv, vfork), and a chain of three programs.
 */
#include <sys/wait.h>

#include "tiny.h"

static void use(const char* name, int times) {
  char data[32] = {0};
  const int fd = open(name, O_RDWR | O_CREAT | O_APPEND, 0644);
  for (int i = 0; i < times; ++i) IGNORE(write(fd, data, 32));
  IGNORE(close(fd));
}

int main(int count, char** words) {
  if (count > 1) { /* replaced: words[1] is the part to play, words[2] how many programs are still to come */
    use(words[1], 5);
    const int left = atoi(words[2]);
    if (left > 0) {
      char fewer[] = {(char)('0' + left - 1), 0};
      char* next[] = {words[0], words[1], fewer, NULL};
      execv("/proc/self/exe", next);
    }
    return 0;
  }
  use("parent", 10);
  const int kept = open("kept", O_RDWR | O_CREAT, 0600); /* open in the children too */
  if (fork() == 0) {
    use("child", 20);
    IGNORE(write(kept, "child", 5));
    if (fork() == 0) {
      use("grandchild", 3);
      _exit(0);
    }
    wait(NULL);
    _exit(0);
  }
  wait(NULL);
  IGNORE(write(kept, "parent", 6));
  if (fork() == 0) {
    use("before", 4);
    char* next[] = {words[0], "after", "2", NULL};
    execv("/proc/self/exe", next);
  }
  wait(NULL);
  if (vfork() == 0) {
    char* next[] = {words[0], "vforked", "0", NULL};
    execv("/proc/self/exe", next);
    _exit(1);
  }
  wait(NULL);
  IGNORE(close(kept));
  use("parent", 2);
  return 3;
}
