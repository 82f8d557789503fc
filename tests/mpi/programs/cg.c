/* Conjugate gradients with the matrix spread over a grid of ranks, rows x columns, both powers of two: sums
   along a row of ranks by exchanges with partners ever further away, and vectors turned from rows to columns
   by an exchange with the transposed rank: cg ITERATIONS. */
#include <math.h>

#include "check.h"

enum { kSize = 128 };

static int rank;
static int rows, columns; /* of ranks */
static int row, column;   /* of this one */
static int steps;         /* of a sum along a row: log2(columns) */
static int transposed;    /* the rank with which vectors are exchanged */
static double matrix[kSize][kSize];

static void arrange(int size) {
  CHECK((size & (size - 1)) == 0 && size <= kSize);
  for (rows = 1, columns = 1, steps = 0; rows * columns < size;) {
    if (rows == columns)
      columns *= 2, ++steps;
    else
      rows *= 2;
  }
  row = rank / columns;
  column = rank % columns;
  /* With twice as many columns as rows, pairs of ranks take the places of ranks. */
  const int wide = columns / rows;
  transposed = (column / wide) * columns + row * wide + column % wide;
}

/* The sum over this row of ranks, at every rank of it. */
static void sum_along_row(double* values, int count) {
  static double received[kSize];
  for (int step = 0; step < steps; ++step) {
    const int partner = row * columns + (column ^ (columns >> (step + 1)));
    MPI_Request request;
    MPI_Irecv(received, count, MPI_DOUBLE, partner, step, MPI_COMM_WORLD, &request);
    MPI_Send(values, count, MPI_DOUBLE, partner, step, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i) values[i] += received[i];
  }
}

static double dot(const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < kSize / columns; ++i) sum += a[i] * b[i];
  sum_along_row(&sum, 1);
  return sum;
}

/* The part of a vector that belongs to a column of ranks, times the matrix, in the same parts. */
static void multiply(const double* vector, double* product) {
  static double part[kSize];
  const int high = kSize / rows;
  const int wide = kSize / columns;
  for (int i = 0; i < high; ++i) {
    part[i] = 0;
    for (int j = 0; j < wide; ++j) part[i] += matrix[i][j] * vector[j];
  }
  sum_along_row(part, high);
  const double* const sent = part + column % (columns / rows) * wide;
  if (transposed == rank) {
    memcpy(product, sent, sizeof *product * (size_t)wide);
    return;
  }
  MPI_Request request;
  MPI_Irecv(product, wide, MPI_DOUBLE, transposed, 99, MPI_COMM_WORLD, &request);
  MPI_Send(sent, wide, MPI_DOUBLE, transposed, 99, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int iterations = number_of(argc, argv, 1, 10);
  int size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  arrange(size);
  const int high = kSize / rows;
  const int wide = kSize / columns;
  for (int i = 0; i < high; ++i)
    for (int j = 0; j < wide; ++j) {
      const int distance = abs(row * high + i - column * wide - j);
      matrix[i][j] = distance == 0 ? 8 : 1.0 / (distance * distance);
    }

  double x[kSize] = {0};
  double residual[kSize] = {0};
  double direction[kSize] = {0};
  double image[kSize] = {0};
  for (int j = 0; j < wide; ++j) residual[j] = direction[j] = 1 + (column * wide + j) % 5;
  double rho = dot(residual, residual);
  for (int i = 0; i < iterations; ++i) {
    multiply(direction, image);
    const double alpha = rho / dot(direction, image);
    for (int j = 0; j < wide; ++j) {
      x[j] += alpha * direction[j];
      residual[j] -= alpha * image[j];
    }
    const double before = rho;
    rho = dot(residual, residual);
    if (rho < 1e-30) rho = 1e-30; /* go on with what is left: the number of iterations is fixed */
    for (int j = 0; j < wide; ++j) direction[j] = residual[j] + rho / before * direction[j];
  }
  double one[kSize] = {0};
  for (int j = 0; j < wide; ++j) one[j] = 1;
  const double sum = dot(x, one);
  if (iterations >= 20) CHECK(rho < 1e-6);
  if (rank == 0) printf("sum %.6f\n", sum);
  MPI_Finalize();
  return 0;
}
