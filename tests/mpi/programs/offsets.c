/* Offsets that differ from rank to rank in the same way: rank * block + step * stride, in one file by pwrite
   and in another by MPI_File_write_at: offsets STEPS. */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <unistd.h>

#include "check.h"

enum { kBlock = 4096 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = number_of(argc, argv, 1, 10);
  int rank;
  int size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long stride = (long)size * kBlock;
  char block[kBlock];
  memset(block, 'a' + rank % 26, sizeof block);

  const int fd = open("offsets_posix.dat", O_RDWR | O_CREAT, 0644);
  CHECK(fd >= 0);
  for (int step = 0; step < steps; ++step)
    CHECK(pwrite(fd, block, sizeof block, rank * (long)kBlock + step * stride) == kBlock);

  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, "offsets_mpiio.dat", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
  for (int step = 0; step < steps; ++step)
    MPI_File_write_at(file, rank * (MPI_Offset)kBlock + step * stride, block, kBlock, MPI_BYTE,
                      MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);

  /* Each looks at what the next one wrote. */
  const int other = (rank + 1) % size;
  for (int step = 0; step < steps; ++step) {
    const long at = other * (long)kBlock + step * stride;
    MPI_Status status;
    int count;
    CHECK(pread(fd, block, sizeof block, at) == kBlock && block[kBlock - 1] == 'a' + other % 26);
    MPI_File_read_at(file, at, block, kBlock, MPI_BYTE, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK(count == kBlock && block[0] == 'a' + other % 26);
  }
  MPI_File_close(&file);
  CHECK(close(fd) == 0);
  if (rank == 0) printf("bytes %ld\n", steps * stride);
  MPI_Finalize();
  return 0;
}
