/* The writes of HACC-IO's POSIX mode with a file per process: nine particle variables, each appended in one
 * piece.
 *
 *   cc -O2 -o hacc_io hacc_io.c && ./hacc_io DIRECTORY [PROCESSES [PARTICLES [ROUNDS]]]
 *
 * Seven variables of 4 bytes, one of 8, one of 2: 38 bytes a particle. Nothing is read back, as in the
 * studies of writes.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int write_fully(int fd, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t put = write(fd, data, size);
    if (put < 0) return -1;
    data += put;
    size -= (size_t)put;
  }
  return 0;
}

static int be_process(const char* directory, int number, size_t particles, int rounds) {
  static const size_t widths[] = {4, 4, 4, 4, 4, 4, 4, 8, 2};
  char name[4096];
  snprintf(name, sizeof name, "%s/hacc.%d", directory, number);
  const int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0644);
  char* const data = malloc(8 * particles);
  if (fd < 0 || data == NULL) {
    perror(name);
    return 1;
  }
  memset(data, 'h', 8 * particles);
  for (int round = 0; round < rounds; ++round)
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; ++i)
      if (write_fully(fd, data, widths[i] * particles) != 0) {
        perror(name);
        return 1;
      }
  free(data);
  return close(fd) == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: hacc_io DIRECTORY [PROCESSES [PARTICLES [ROUNDS]]]\n");
    return 2;
  }
  const int processes = argc > 2 ? atoi(argv[2]) : 2;
  const size_t particles = argc > 3 ? (size_t)atol(argv[3]) : 1 << 20;
  const int rounds = argc > 4 ? atoi(argv[4]) : 4;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) return be_process(argv[1], i, particles, rounds);
  }
  int worst = 0, status = 0;
  while (wait(&status) > 0)
    if (status != 0) worst = 1;
  return worst;
}
