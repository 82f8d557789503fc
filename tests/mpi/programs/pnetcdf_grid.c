// A grid through PnetCDF: collective writes, then non-blocking ones with a wait for all.
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>

static void must(int status) {
  if (status != NC_NOERR) {
    fprintf(stderr, "%s\n", ncmpi_strerror(status));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv) {
  int rank, ranks, file, dimensions[2], heights, depths, requests[4], statuses[4];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  must(ncmpi_create(MPI_COMM_WORLD, "grid.nc", NC_CLOBBER, MPI_INFO_NULL, &file));
  must(ncmpi_def_dim(file, "y", 4 * ranks, &dimensions[0]));
  must(ncmpi_def_dim(file, "x", 8, &dimensions[1]));
  must(ncmpi_def_var(file, "heights", NC_INT, 2, dimensions, &heights));
  must(ncmpi_def_var(file, "depths", NC_DOUBLE, 2, dimensions, &depths));
  must(ncmpi_enddef(file));
  int row[8];
  double deep[4][8];
  for (int i = 0; i < 4; ++i) {
    const MPI_Offset start[2] = {4 * rank + i, 0}, count[2] = {1, 8};
    for (int x = 0; x < 8; ++x) row[x] = (4 * rank + i) * 8 + x;
    must(ncmpi_put_vara_int_all(file, heights, start, count, row));
  }
  for (int i = 0; i < 4; ++i) {
    const MPI_Offset start[2] = {4 * rank + i, 0}, count[2] = {1, 8};
    for (int x = 0; x < 8; ++x) deep[i][x] = rank + 0.25 * x;
    must(ncmpi_iput_vara_double(file, depths, start, count, deep[i], &requests[i]));
  }
  must(ncmpi_wait_all(file, 4, requests, statuses));
  must(ncmpi_close(file));
  if (rank == 0) printf("written\n");
  MPI_Finalize();
  return 0;
}
