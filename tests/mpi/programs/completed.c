/* Rank 0 starts to write, or to read, a block of a file that rank 1 reads, or writes, behind a barrier; with
 * "all" both write together, and read what the other wrote. Rank 0 completes the request before the barrier:
 * wait, test, testall, testany, testsome, waitsome; or only behind it: late. */
#include <mpi.h>
#include <string.h>

#define BYTES 65536

static char block[BYTES];
static char other[BYTES];

static void complete(const char* how, MPI_Request* request) {
  /* The request among one that never is: what completes is told by its place. */
  MPI_Request requests[2] = {MPI_REQUEST_NULL, *request};
  int done = 0, index, indices[2], count;
  if (strcmp(how, "wait") == 0 || strcmp(how, "late") == 0) MPI_Wait(request, MPI_STATUS_IGNORE);
  while (strcmp(how, "test") == 0 && !done) MPI_Test(request, &done, MPI_STATUS_IGNORE);
  while (strcmp(how, "testall") == 0 && !done) MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
  while (strcmp(how, "testany") == 0 && !done) MPI_Testany(2, requests, &index, &done, MPI_STATUS_IGNORE);
  while (strcmp(how, "testsome") == 0 && !done) {
    MPI_Testsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
    done = count > 0;
  }
  if (strcmp(how, "waitsome") == 0) MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  const char *what = argv[1], *how = argv[2];
  const int all = strcmp(what, "all") == 0, reads = strcmp(what, "read") == 0;
  const int late = strcmp(how, "late") == 0;
  MPI_File file;
  MPI_Request request = MPI_REQUEST_NULL;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File_open(MPI_COMM_WORLD, "completed.dat", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
  /* Open MPI 4.1 never completes a request to read what is not there. */
  if (rank == 0 && reads) MPI_File_write_at(file, 0, block, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
  if (all)
    MPI_File_iwrite_at_all(file, (MPI_Offset)rank * BYTES, block, BYTES, MPI_BYTE, &request);
  else if (rank == 0 && reads)
    MPI_File_iread_at(file, 0, block, BYTES, MPI_BYTE, &request);
  else if (rank == 0)
    MPI_File_iwrite_at(file, 0, block, BYTES, MPI_BYTE, &request);
  if (request != MPI_REQUEST_NULL && !late) complete(how, &request);
  MPI_Barrier(MPI_COMM_WORLD);
  if (request != MPI_REQUEST_NULL && late) complete(how, &request);
  if (all)
    MPI_File_read_at(file, (MPI_Offset)(1 - rank) * BYTES, other, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
  else if (rank == 1 && reads)
    MPI_File_write_at(file, 0, block, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
  else if (rank == 1)
    MPI_File_read_at(file, 0, other, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
