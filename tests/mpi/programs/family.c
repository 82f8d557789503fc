/* A parent reads what its child writes: after it has waited for it (wait), or before (early). Without MPI. */
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char block[4096];

int main(int argc, char** argv) {
  const int waits = argc > 1 && strcmp(argv[1], "wait") == 0;
  const int fd = open("family.dat", O_RDWR | O_CREAT, 0644);
  const pid_t child = fork();
  if (child == 0) {
    if (pwrite(fd, block, sizeof block, 0) != (ssize_t)sizeof block) _exit(1);
    _exit(0);
  }
  if (waits) waitpid(child, NULL, 0);
  if (pread(fd, block, sizeof block, 0) < 0) return 2;
  if (!waits) waitpid(child, NULL, 0);
  return 0;
}
