/* Fourier transforms in two dimensions: every rank has some rows, transforms them, and all ranks turn rows
   into columns by one exchange of all with all: ft ITERATIONS. */
#include <complex.h>
#include <math.h>

#include "check.h"

enum { kRows = 8 }; /* of each rank */

static int rank, size, side;
static double complex *rows, *work, *other;
static double complex* roots; /* of one */

static void transform_rows(int backwards) {
  for (int i = 0; i < kRows; ++i) {
    double complex* const row = rows + i * side;
    for (int k = 0; k < side; ++k) {
      double complex sum = 0;
      for (int j = 0; j < side; ++j) {
        const double complex root = roots[(int)((long)j * k % side)];
        sum += row[j] * (backwards ? conj(root) : root);
      }
      work[k] = backwards ? sum / side : sum;
    }
    memcpy(row, work, sizeof *row * (size_t)side);
  }
}

/* Blocks of kRows x kRows change their owners, each already turned. */
static void transpose(void) {
  for (int block = 0; block < size; ++block)
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kRows; ++j)
        work[(block * kRows + j) * kRows + i] = rows[i * side + block * kRows + j];
  const int count = kRows * kRows;
  MPI_Alltoall(work, count, MPI_C_DOUBLE_COMPLEX, other, count, MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD);
  for (int block = 0; block < size; ++block)
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kRows; ++j)
        rows[i * side + block * kRows + j] = other[(block * kRows + i) * kRows + j];
}

static void transform(int backwards) {
  transform_rows(backwards);
  transpose();
  transform_rows(backwards);
}

static double complex start_value(int y, int x) { return (3 * y + x) % 11 + (y + 2 * x) % 7 * I; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int iterations = rank_in(MPI_COMM_WORLD) == 0 ? number_of(argc, argv, 1, 3) : -1;
  MPI_Bcast(&iterations, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  side = kRows * size;
  const size_t count = (size_t)(kRows * side);
  rows = malloc(count * sizeof *rows);
  work = malloc(count * sizeof *work);
  other = malloc(count * sizeof *other);
  roots = malloc((size_t)side * sizeof *roots);
  for (int i = 0; i < side; ++i) roots[i] = cexp(-2 * acos(-1) * I * i / side);
  for (int i = 0; i < kRows; ++i)
    for (int x = 0; x < side; ++x) rows[i * side + x] = start_value(rank * kRows + i, x);

  double sums[2] = {0, 0};
  for (int step = 0; step < iterations; ++step) {
    transform(0); /* leaves columns where rows were */
    double own[2] = {0, 0};
    for (size_t i = 0; i < count; i += 5) {
      own[0] += creal(rows[i]);
      own[1] += cimag(rows[i]);
    }
    MPI_Reduce(own, sums, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    transform(1);
  }
  for (int i = 0; i < kRows; ++i)
    for (int x = 0; x < side; ++x) CHECK(cabs(rows[i * side + x] - start_value(rank * kRows + i, x)) < 1e-6);
  if (rank == 0) printf("sums %.3f %.3f\n", sums[0], sums[1]);
  free(rows);
  free(work);
  free(other);
  free(roots);
  MPI_Finalize();
  return 0;
}
