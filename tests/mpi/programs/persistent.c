/* Receives from anybody that are set up once and started again; the program ignores who sent. Two ranks. */
#include "check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = rank_in(MPI_COMM_WORLD);
  int word = rank;
  MPI_Request request;
  if (rank == 0)
    MPI_Recv_init(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  else
    MPI_Send_init(&word, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
  for (int i = 0; i < 3; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  MPI_Finalize();
  return 0;
}
