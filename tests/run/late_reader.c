// Each rank writes its part of a file that all have open, publishes it as told (fsync, close or nothing), and
// reads its neighbour's part once everybody has: late_reader FILE HOW
#include <fcntl.h>
#include <mpi.h>
#include <string.h>
#include <unistd.h>

enum { kPart = 4096 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
  MPI_Barrier(MPI_COMM_WORLD);
  char part[kPart];
  memset(part, 'a' + rank, sizeof part);
  int failed = fd < 0 || pwrite(fd, part, sizeof part, (off_t)rank * kPart) != kPart;
  if (strcmp(argv[2], "fsync") == 0) failed |= fsync(fd) != 0;
  if (strcmp(argv[2], "close") == 0) failed |= close(fd) != 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(argv[2], "close") == 0) fd = open(argv[1], O_RDWR);
  failed |= pread(fd, part, sizeof part, (off_t)((rank + 1) % size) * kPart) < 0;
  MPI_Barrier(MPI_COMM_WORLD);
  close(fd);
  MPI_Finalize();
  return failed;
}
