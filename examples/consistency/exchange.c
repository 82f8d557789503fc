/* Rank 0 writes a block of a shared file, rank 1 reads it. How the two synchronize is a switch, so that `weir
 * check` can be seen at work:
 *
 *   exchange race     nothing orders the write and the read: a race
 *   exchange barrier  a barrier between them: right where writes are visible at once (posix)
 *   exchange fsync    the writer commits before the barrier: right under commit
 *   exchange reopen   the writer closes before it, the reader opens after it: right under session
 *
 *   mpicc -o exchange exchange.c
 *   weir trace --out run.trace -- mpirun -n 2 ./exchange barrier
 *   weir check run.trace --model session
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { kBlock = 4096 };

static int open_shared(const char* name) {
  const int fd = open(name, O_RDWR | O_CREAT, 0644);
  if (fd < 0) {
    perror(name);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return fd;
}

int main(int argc, char** argv) {
  static char block[kBlock];
  MPI_Init(&argc, &argv);
  const char* const how = argc > 1 ? argv[1] : "barrier";
  const char* const name = argc > 2 ? argv[2] : "exchange.dat";
  const int synchronizes = strcmp(how, "race") != 0;
  const int commits = strcmp(how, "fsync") == 0;
  const int reopens = strcmp(how, "reopen") == 0;
  if (synchronizes && !commits && !reopens && strcmp(how, "barrier") != 0) {
    fprintf(stderr, "exchange: '%s' is none of race, barrier, fsync, reopen\n", how);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  int fd = open_shared(name);
  if (rank == 0) {
    memset(block, 'w', sizeof block);
    if (pwrite(fd, block, sizeof block, 0) != (ssize_t)sizeof block) perror("pwrite");
    if (commits) fsync(fd);
    if (reopens) close(fd);
  }
  if (synchronizes) MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    if (reopens) {
      close(fd);
      fd = open_shared(name);
    }
    if (pread(fd, block, sizeof block, 0) < 0) perror("pread");
  }
  if (rank != 0 || !reopens) close(fd);
  MPI_Finalize();
  return 0;
}
