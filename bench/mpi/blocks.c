// Each rank writes and reads back its own blocks of one shared file, as IOR does: POSIX, or MPI-IO with
// "mpiio".
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const long blocks = argc > 1 ? atol(argv[1]) : 64, bytes = argc > 2 ? atol(argv[2]) : 1 << 18;
  const int mpiio = argc > 3 && strcmp(argv[3], "mpiio") == 0;
  int rank, ranks;
  char* buffer = calloc(1, (size_t)bytes);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  if (mpiio) {
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, "blocks.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    for (long i = 0; i < blocks; ++i)
      MPI_File_write_at(file, (i * ranks + rank) * bytes, buffer, (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    for (long i = 0; i < blocks; ++i)
      MPI_File_read_at(file, (i * ranks + rank) * bytes, buffer, (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  } else {
    const int file = open("blocks.dat", O_CREAT | O_RDWR, 0644);
    for (long i = 0; i < blocks; ++i)
      if (pwrite(file, buffer, (size_t)bytes, (i * ranks + rank) * bytes) != bytes)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (long i = 0; i < blocks; ++i)
      if (pread(file, buffer, (size_t)bytes, (i * ranks + rank) * bytes) != bytes)
        MPI_Abort(MPI_COMM_WORLD, 1);
    close(file);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%.6f\n", MPI_Wtime() - begin), unlink("blocks.dat");
  MPI_Finalize();
  free(buffer);
  return 0;
}
