/* Rank 0 has a thread or a child write a file that rank 1 reads behind a barrier. Whether rank 0 knows,
 * before it enters the barrier, that the thread or child is done: join, wait; or only behind it: no-join,
 * no-wait. The child may be a shell of popen(): pclose, no-pclose; of system() it can only be the first. With
 * -vfork behind it the shell has the file written by a child of its own, and rank 0 sees it written before
 * the barrier. */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char block[4096];

static void* write_block(void* name) {
  const int fd = open(name, O_RDWR | O_CREAT, 0644);
  if (pwrite(fd, block, sizeof block, 0) != (ssize_t)sizeof block) _exit(1);
  close(fd);
  return NULL;
}

int main(int argc, char** argv) {
  static char name[] = "kin.dat";
  int rank, provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int forks = strstr(argv[1], "wait") != NULL;
  const int late = strncmp(argv[1], "no-", 3) == 0;
  const int pipes = strstr(argv[1], "pclose") != NULL;
  const int runs = strncmp(argv[1], "system", 6) == 0;
  const int vforks = strstr(argv[1], "-vfork") != NULL;
  const char* const command =
      vforks ? "head -c 4096 /dev/zero > kin.dat; true" : "exec head -c 4096 /dev/zero > kin.dat";
  pthread_t thread;
  pid_t child = 0;
  FILE* shell = NULL;
  if (rank == 0) {
    if (runs) {
      if (system(command) != 0) return 4;
    } else if (pipes) {
      if ((shell = popen(command, "w")) == NULL) return 5;
    } else if (!forks && pthread_create(&thread, NULL, write_block, name) != 0) {
      return 2;
    }
    if (forks && (child = fork()) == 0) {
      write_block(name);
      _exit(0);
    }
    struct stat about = {0};
    while (vforks && (stat(name, &about) != 0 || about.st_size != (off_t)sizeof block)) sched_yield();
  }
  for (int turn = 0; turn < 2; ++turn) {
    if (rank == 0 && turn == late && !runs) {
      if (forks)
        waitpid(child, NULL, 0);
      else if (pipes)
        pclose(shell);
      else
        pthread_join(thread, NULL);
    }
    if (turn == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 1) {
    const int fd = open(name, O_RDONLY | O_CREAT, 0644);
    if (pread(fd, block, sizeof block, 0) < 0) return 3;
    close(fd);
  }
  MPI_Finalize();
  return 0;
}
