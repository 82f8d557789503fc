// Several blocks and several variables in one call of PnetCDF: lists of lists, some of them not there; a call
// that fails; and more requests than a recorder may expect.
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMany = 1500 };

static void must(int status) {
  if (status != NC_NOERR) {
    fprintf(stderr, "%s\n", ncmpi_strerror(status));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv) {
  int rank, ranks, file, dimensions[2], grid, line, times;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  must(ncmpi_create(MPI_COMM_WORLD, "blocks.nc", NC_CLOBBER, MPI_INFO_NULL, &file));
  must(ncmpi_def_dim(file, "y", ranks, &dimensions[0]));
  must(ncmpi_def_dim(file, "x", kMany, &dimensions[1]));
  must(ncmpi_def_var(file, "grid", NC_INT, 2, dimensions, &grid));
  must(ncmpi_def_var(file, "line", NC_INT, 1, dimensions, &line));
  must(ncmpi_def_var(file, "time", NC_INT, 0, NULL, &times));
  must(ncmpi_enddef(file));

  int values[8] = {rank, 1, 2, 3, 4, 5, 6, 7}, back[8] = {0};
  MPI_Offset first[2] = {rank, 0}, second[2] = {rank, 6}, four[2] = {1, 4}, two[2] = {1, 2};
  MPI_Offset* starts[2] = {first, second};
  MPI_Offset* counts[2] = {four, two};
  must(ncmpi_put_varn_int_all(file, grid, 2, starts, counts, values));
  MPI_Offset* points[2] = {four, NULL};
  must(ncmpi_put_varn_int_all(file, grid, 2, starts, points, values));
  must(ncmpi_put_varn_int_all(file, grid, 2, starts, NULL, values));
  must(ncmpi_put_varn_int_all(file, grid, 0, NULL, NULL, NULL));
  MPI_Offset outside[2] = {rank, 100000};
  MPI_Offset* wrong[1] = {outside};
  if (ncmpi_get_varn_int_all(file, grid, 1, wrong, counts, back) != NC_EINVALCOORDS)
    MPI_Abort(MPI_COMM_WORLD, 2);

  // Variables of two dimensions, of one and of none.
  int variables[3] = {grid, line, times};
  MPI_Offset one[1] = {rank}, single[1] = {1}, nothing[1] = {0};
  MPI_Offset* corners[3] = {first, one, nothing};
  MPI_Offset* sizes[3] = {two, single, nothing};
  int* parts[3] = {values, values + 2, values + 4};
  int* into[3] = {back, back + 2, back + 4};
  must(ncmpi_mput_vara_int_all(file, 3, variables, corners, sizes, parts));
  must(ncmpi_mget_vara_int_all(file, 3, variables, corners, sizes, into));
  if (back[0] != values[0] || back[2] != values[2] || back[4] != values[4]) MPI_Abort(MPI_COMM_WORLD, 3);

  static int requests[kMany], statuses[kMany];
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kMany; ++i) {
      const MPI_Offset place[2] = {rank, i};
      must(ncmpi_iput_var1_int(file, grid, place, &values[round], &requests[i]));
    }
    must(ncmpi_wait_all(file, kMany, requests, statuses));
  }
  must(ncmpi_close(file));
  if (rank == 0) printf("written\n");
  MPI_Finalize();
  return 0;
}
