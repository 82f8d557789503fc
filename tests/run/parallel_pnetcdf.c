// Writes a variable collectively and another one independently with PnetCDF, closes, opens and reads both:
//   mpirun -n 4 parallel_pnetcdf FILE
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>

enum { kRows = 64, kColumns = 32 };

static void check(int error, const char* what) {
  if (error == NC_NOERR) return;
  fprintf(stderr, "%s: %s\n", what, ncmpi_strerror(error));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int file = 0, dims[2] = {0, 0}, all = 0, each = 0;
  check(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file), "create");
  check(ncmpi_def_dim(file, "row", (MPI_Offset)kRows * size, &dims[0]), "dim");
  check(ncmpi_def_dim(file, "column", kColumns, &dims[1]), "dim");
  check(ncmpi_def_var(file, "all", NC_INT, 2, dims, &all), "var");
  check(ncmpi_def_var(file, "each", NC_DOUBLE, 2, dims, &each), "var");
  check(ncmpi_put_att_text(file, NC_GLOBAL, "title", 4, "Weir"), "attribute");
  check(ncmpi_enddef(file), "enddef");
  static int numbers[kRows * kColumns];
  static double values[kRows * kColumns];
  for (int i = 0; i < kRows * kColumns; ++i) {
    numbers[i] = rank * 100000 + i;
    values[i] = rank + i / 1000.0;
  }
  const MPI_Offset begin[2] = {(MPI_Offset)kRows * rank, 0}, count[2] = {kRows, kColumns};
  check(ncmpi_put_vara_int_all(file, all, begin, count, numbers), "collective write");
  check(ncmpi_begin_indep_data(file), "independent mode");
  check(ncmpi_put_vara_double(file, each, begin, count, values), "independent write");
  check(ncmpi_end_indep_data(file), "collective mode");
  check(ncmpi_close(file), "close");
  MPI_Barrier(MPI_COMM_WORLD);

  check(ncmpi_open(MPI_COMM_WORLD, argv[1], NC_NOWRITE, MPI_INFO_NULL, &file), "open");
  const int other = (rank + 1) % size;
  const MPI_Offset there[2] = {(MPI_Offset)kRows * other, 0};
  check(ncmpi_get_vara_int_all(file, all, there, count, numbers), "read");
  check(ncmpi_get_vara_double_all(file, each, there, count, values), "read");
  int wrong = 0;
  for (int i = 0; i < kRows * kColumns; ++i)
    wrong += numbers[i] != other * 100000 + i || values[i] != other + i / 1000.0;
  check(ncmpi_close(file), "close");
  if (wrong > 0) fprintf(stderr, "rank %d: %d values are wrong\n", rank, wrong);
  MPI_Finalize();
  return wrong > 0;
}
