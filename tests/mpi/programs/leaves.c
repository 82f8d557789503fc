/* One rank ends the run for all, with a status of its own. */
#define _XOPEN_SOURCE 700
#include <unistd.h>

#include "check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = rank_in(MPI_COMM_WORLD);
  if (rank == 0) {
    printf("leaving\n");
    fflush(stdout);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size_of(MPI_COMM_WORLD) - 1) MPI_Abort(MPI_COMM_WORLD, 3);
  for (;;) pause();
}
