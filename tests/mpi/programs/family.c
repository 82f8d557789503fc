/* A parent reads what its child writes: after it has waited for it (wait), or before (early). The child is
 * forked; or vforked, and another program then (vfork-wait, vfork-early); or one that a shell vforks (shell).
 * Without MPI. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char block[4096];

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "";
  const int waits = strstr(how, "wait") != NULL, vforks = strstr(how, "vfork") != NULL;
  const int fd = open("family.dat", O_RDWR | O_CREAT, 0644);
  pid_t child = 0;
  if (strcmp(how, "shell") == 0) {
    if (system("dd if=/dev/zero of=family.dat bs=4096 count=1 2>/dev/null; true") != 0) return 3;
  } else if (vforks) {
    if ((child = vfork()) == 0) {
      execlp("dd", "dd", "if=/dev/zero", "of=family.dat", "bs=4096", "count=1", NULL);
      _exit(1);
    }
  } else if ((child = fork()) == 0) {
    if (pwrite(fd, block, sizeof block, 0) != (ssize_t)sizeof block) _exit(1);
    _exit(0);
  }
  if (waits) waitpid(child, NULL, 0);
  if (pread(fd, block, sizeof block, 0) < 0) return 2;
  if (!waits && child > 0) waitpid(child, NULL, 0);
  return 0;
}
