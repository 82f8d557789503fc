/* Completes more requests at once than most programs have: lists that take tens of thousands of bytes, or
 * more than are kept. LONG_LISTS [MESSAGES] */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

int main(int argc, char** argv) {
  const int messages = argc > 1 ? atoi(argv[1]) : 10000;
  MPI_Request* const requests = malloc(2 * (size_t)messages * sizeof *requests);
  int* const sent = malloc((size_t)messages * sizeof *sent);
  int* const received = malloc((size_t)messages * sizeof *received);
  MPI_Init(&argc, &argv);
  for (int i = 0; i < messages; ++i)
    MPI_Irecv(&received[i], 1, MPI_INT, 0, i % 8, MPI_COMM_SELF, &requests[i]);
  for (int i = 0; i < messages; ++i) {
    sent[i] = i;
    MPI_Isend(&sent[i], 1, MPI_INT, 0, i % 8, MPI_COMM_SELF, &requests[messages + i]);
  }
  MPI_Waitall(2 * messages, requests, MPI_STATUSES_IGNORE);
  long sum = 0;
  for (int i = 0; i < messages; ++i) sum += received[i];
  printf("%ld\n", sum);
  MPI_Finalize();
  return 0;
}
