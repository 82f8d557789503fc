/* Checkpoints as many codes write them: a file for each rank and step, and one for all ranks: checkpoint
 * STEPS. */
#include "check.h"

enum { kValues = 1000 };

static void write_own(int rank, int step, const double* values) {
  char name[64];
  snprintf(name, sizeof name, "ckpt_%d_%d.dat", rank, step);
  FILE* const out = fopen(name, "wb");
  CHECK(out != NULL);
  CHECK(fwrite(&step, sizeof step, 1, out) == 1);
  CHECK(fwrite(values, sizeof *values, kValues, out) == kValues);
  CHECK(fclose(out) == 0);
}

static void write_shared(int rank, int size, int step, const double* values) {
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, "ckpt_shared.dat", MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
  const MPI_Offset own = kValues * (MPI_Offset)sizeof *values;
  MPI_Status status;
  int count;
  MPI_File_write_at_all(file, (step * (MPI_Offset)size + rank) * own, values, kValues, MPI_DOUBLE, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  CHECK(count == kValues);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = number_of(argc, argv, 1, 3);
  int rank;
  int size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  static double values[kValues];
  double sum = 0;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < kValues; ++i) values[i] = rank + step * 0.5 + i;
    double own = 0;
    for (int i = 0; i < kValues; ++i) own += values[i];
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    write_own(rank, step, values);
    write_shared(rank, size, step, values);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) printf("sum %.3f\n", sum);
  MPI_Finalize();
  return 0;
}
