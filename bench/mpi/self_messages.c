// Messages of each rank to itself, three calls each: what a call costs, in processor time. With a second
// number ranks of so many kinds: each kind has another loop behind it.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void send_to_self(long count) {
  int sent = 1, received = 0;
  for (long i = 0; i < count; ++i) {
    MPI_Request request;
    MPI_Irecv(&received, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
    MPI_Send(&sent, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

int main(int argc, char** argv) {
  const long count = argc > 1 ? atol(argv[1]) : 333333;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  send_to_self(1000);
  const double begin = now();
  send_to_self(count);
  const int kind = argc > 2 ? rank % atoi(argv[2]) : 0;
  for (int i = 0; i < kind; ++i) {
    MPI_Barrier(MPI_COMM_SELF);
    if (i % 2 == kind % 2) MPI_Barrier(MPI_COMM_SELF);
  }
  if (rank == 0) printf("%.2f\n", (now() - begin) / (double)(3 * count));
  MPI_Finalize();
  return 0;
}
