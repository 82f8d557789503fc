/* A detached thread of rank 0 reads what rank 1 wrote before the barrier behind which it was made (made, or
 * made and then detached: detached); or it writes, before the barrier, what rank 1 reads behind it (late):
 * that it was done by then rank 0 knows from memory alone. */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <unistd.h>

static char block[4096];
static sem_t done;
static int writes;

static void* touch_block(void* name) {
  const int fd = open(name, O_RDWR | O_CREAT, 0644);
  const ssize_t got = writes ? pwrite(fd, block, sizeof block, 0) : pread(fd, block, sizeof block, 0);
  close(fd);
  if (got != (ssize_t)sizeof block) _exit(1);
  sem_post(&done);
  return NULL;
}

static void run_thread(const char* how, char* name) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  const int afterwards = strcmp(how, "detached") == 0;
  if (!afterwards) pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (pthread_create(&thread, &attributes, touch_block, name) != 0) _exit(2);
  if (afterwards) pthread_detach(thread);
  sem_wait(&done);
}

int main(int argc, char** argv) {
  static char name[] = "detached.dat";
  const char* const how = argv[1];
  const int late = strcmp(how, "late") == 0;
  int rank, provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  sem_init(&done, 0, 0);
  writes = late == (rank == 0);
  if (late && rank == 0) run_thread(how, name);
  if (!late && rank == 1) touch_block(name);
  MPI_Barrier(MPI_COMM_WORLD);
  if (late && rank == 1) touch_block(name);
  if (!late && rank == 0) run_thread(how, name);
  MPI_Finalize();
  return 0;
}
