// Messages of each rank to itself, and before MPI_Finalize a limit on the size of files that nothing fits
// into.
#include <mpi.h>
#include <sys/resource.h>

#include "check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 100; ++i) {
    int sent = i, received = -1;
    MPI_Sendrecv(&sent, 1, MPI_INT, 0, 1, &received, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    CHECK(received == i);
  }
  const struct rlimit none = {16, 16};
  CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
  MPI_Finalize();
  return 0;
}
