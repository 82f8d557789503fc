/* Completes more requests at once than most programs have: lists that take tens of thousands of bytes. */
#include <stdio.h>

#include "check.h"

enum { kMessages = 10000 };

int main(int argc, char** argv) {
  static MPI_Request requests[2 * kMessages];
  static int sent[kMessages], received[kMessages];
  MPI_Init(&argc, &argv);
  for (int i = 0; i < kMessages; ++i)
    MPI_Irecv(&received[i], 1, MPI_INT, 0, i % 8, MPI_COMM_SELF, &requests[i]);
  for (int i = 0; i < kMessages; ++i) {
    sent[i] = i;
    MPI_Isend(&sent[i], 1, MPI_INT, 0, i % 8, MPI_COMM_SELF, &requests[kMessages + i]);
  }
  MPI_Waitall(2 * kMessages, requests, MPI_STATUSES_IGNORE);
  long sum = 0;
  for (int i = 0; i < kMessages; ++i) sum += received[i];
  printf("%ld\n", sum);
  MPI_Finalize();
  return 0;
}
