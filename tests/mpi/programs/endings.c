/* Ranks that end in different ways: endings killed|silent|uneven. The second rank is killed, or leaves
   without a word to MPI; or all end well after numbers of calls of their own. */
#define _XOPEN_SOURCE 700
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = rank_in(MPI_COMM_WORLD);
  int word = rank;
  const int rounds = strcmp(argv[1], "uneven") == 0 ? 10 * (rank + 1) : 10;
  for (int i = 0; i < rounds; ++i)
    MPI_Sendrecv_replace(&word, 1, MPI_INT, 0, 1, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1 && strcmp(argv[1], "killed") == 0) raise(SIGKILL);
  if (strcmp(argv[1], "silent") == 0) _exit(0);
  if (strcmp(argv[1], "killed") == 0) pause();
  MPI_Finalize();
  MPI_Finalized(&word); /* a call after the end */
  return 0;
}
