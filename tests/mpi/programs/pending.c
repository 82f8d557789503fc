/* Communicators in the making: many at once on one rank, and one of all meanwhile. Then some of an
   inter-communicator, and files of which many requests are waited for one after the other. */
#include "check.h"

enum { kMany = 100 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = rank_in(MPI_COMM_WORLD);
  MPI_Comm own[kMany], all, between, copy;
  MPI_Request requests[kMany], request;
  if (rank == 0)
    for (int i = 0; i < kMany; ++i) MPI_Comm_idup(MPI_COMM_SELF, &own[i], &requests[i]);
  MPI_Comm_idup(MPI_COMM_WORLD, &all, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(all);
  if (rank == 0) {
    MPI_Waitall(kMany, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < kMany; ++i) {
      CHECK(size_of(own[i]) == 1);
      MPI_Comm_free(&own[i]);
    }
  }
  MPI_Intercomm_create(MPI_COMM_SELF, 0, all, 1 - rank, 7, &between);
  MPI_Comm_idup(between, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int given = rank, taken = -1;
  MPI_Sendrecv(&given, 1, MPI_INT, 0, 0, &taken, 1, MPI_INT, 0, 0, copy, MPI_STATUS_IGNORE);
  CHECK(taken == 1 - rank);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&between);

  MPI_File file;
  MPI_File_open(all, "waited.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  for (int i = 0; i < 20; ++i) {
    MPI_File_iwrite_at(file, (20 * rank + i) * (MPI_Offset)sizeof given, &given, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&file);
  MPI_Comm_free(&all);
  MPI_Finalize();
  return 0;
}
