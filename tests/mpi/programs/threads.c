/* Four threads on each rank, each with a communicator of its own, send around a ring at the same time:
   threads ROUNDS. */
#define _XOPEN_SOURCE 700
#include <pthread.h>

#include "check.h"

enum { kThreads = 4, kCount = 64 };

struct Work {
  int number;
  int rounds;
  MPI_Comm comm;
};

static void* work(void* argument) {
  const struct Work* const own = argument;
  const int rank = rank_in(own->comm);
  const int size = size_of(own->comm);
  const int next = (rank + 1) % size;
  const int last = (rank + size - 1) % size;
  for (int round = 0; round < own->rounds; ++round) {
    int sent[kCount];
    int received[kCount];
    for (int i = 0; i < kCount; ++i)
      sent[i] = ((rank * kThreads + own->number) * own->rounds + round) * kCount + i;
    MPI_Request requests[2];
    MPI_Irecv(received, kCount, MPI_INT, last, 7, own->comm, &requests[0]);
    MPI_Isend(sent, kCount, MPI_INT, next, 7, own->comm, &requests[1]);
    if (round % 3 == 0) {
      MPI_Status statuses[2];
      MPI_Waitall(2, requests, statuses);
      CHECK(statuses[0].MPI_SOURCE == last && statuses[0].MPI_TAG == 7);
    } else if (round % 3 == 1) {
      for (int left = 2; left > 0; --left) {
        int index;
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        CHECK(index == 0 || index == 1);
      }
    } else {
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < kCount; ++i)
      CHECK(received[i] == ((last * kThreads + own->number) * own->rounds + round) * kCount + i);
  }
  /* All threads at once: each makes a communicator from its own. */
  MPI_Comm again;
  MPI_Comm_dup(own->comm, &again);
  int sum = 0;
  MPI_Allreduce(&own->number, &sum, 1, MPI_INT, MPI_SUM, again);
  CHECK(sum == own->number * size);
  MPI_Comm_free(&again);
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  const int rounds = number_of(argc, argv, 1, 30);
  pthread_t threads[kThreads];
  struct Work each[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    each[i].number = i;
    each[i].rounds = rounds;
    MPI_Comm_dup(MPI_COMM_WORLD, &each[i].comm);
  }
  for (int i = 0; i < kThreads; ++i) CHECK(pthread_create(&threads[i], NULL, work, &each[i]) == 0);
  for (int i = 0; i < kThreads; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  for (int i = 0; i < kThreads; ++i) MPI_Comm_free(&each[i].comm);
  if (rank_in(MPI_COMM_WORLD) == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
