// Messages of each rank to itself, three calls each: what a call costs, in processor time. With a second
// number ranks of so many kinds: each kind has another loop behind it. With a third word each rank tells how
// long its MPI_Finalize took instead, in seconds from when all had come there.
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

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

int main(int argc, char** argv) {
  const long count = argc > 1 ? atol(argv[1]) : 333333;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  send_to_self(1000);
  const double begin = now(CLOCK_THREAD_CPUTIME_ID);
  send_to_self(count);
  const int kind = argc > 2 ? rank % atoi(argv[2]) : 0;
  for (int i = 0; i < kind; ++i) {
    MPI_Barrier(MPI_COMM_SELF);
    if (i % 2 == kind % 2) MPI_Barrier(MPI_COMM_SELF);
  }
  const double taken = now(CLOCK_THREAD_CPUTIME_ID) - begin;
  const int only_end = argc > 3;
  if (rank == 0 && !only_end) printf("%.2f\n", taken / (double)(3 * count));
  MPI_Barrier(MPI_COMM_WORLD);
  const double end = now(CLOCK_MONOTONIC);
  MPI_Finalize();
  if (only_end) printf("%.6f\n", (now(CLOCK_MONOTONIC) - end) / 1e9);
  return 0;
}
