/* The writes of MADbench2's first phase (function S) in POSIX mode with a file per process: for each bin a
 * matrix is made, which takes some time, and written at its place, the places being a power of two apart; a
 * seek before every write.
 *
 *   cc -O2 -o madbench2 madbench2.c && ./madbench2 DIRECTORY [PROCESSES [MATRIX_BYTES [BINS
 * [MILLISECONDS_BETWEEN]]]]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int be_process(const char* directory, int number, size_t matrix, int bins, long pause_ms) {
  size_t place = 1;
  while (place < matrix) place *= 2;
  if (place == matrix) place *= 2;
  char name[4096];
  snprintf(name, sizeof name, "%s/madbench.%d", directory, number);
  const int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0644);
  char* const data = malloc(matrix);
  if (fd < 0 || data == NULL) {
    perror(name);
    return 1;
  }
  memset(data, 'm', matrix);
  for (int bin = 0; bin < bins; ++bin) {
    const struct timespec work = {pause_ms / 1000, pause_ms % 1000 * 1000000};
    nanosleep(&work, NULL);
    if (lseek(fd, (off_t)((size_t)bin * place), SEEK_SET) < 0) return 1;
    for (size_t done = 0; done < matrix;) {
      const ssize_t put = write(fd, data + done, matrix - done);
      if (put < 0) {
        perror(name);
        return 1;
      }
      done += (size_t)put;
    }
    if (fsync(fd) != 0) return 1;
  }
  free(data);
  return close(fd) == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: madbench2 DIRECTORY [PROCESSES [MATRIX_BYTES [BINS [MILLISECONDS_BETWEEN]]]]\n");
    return 2;
  }
  const int processes = argc > 2 ? atoi(argv[2]) : 2;
  const size_t matrix = argc > 3 ? (size_t)atol(argv[3]) : 5000000;
  const int bins = argc > 4 ? atoi(argv[4]) : 36;
  const long pause_ms = argc > 5 ? atol(argv[5]) : 0;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) return be_process(argv[1], i, matrix, bins, pause_ms);
  }
  int worst = 0, status = 0;
  while (wait(&status) > 0)
    if (status != 0) worst = 1;
  return worst;
}
