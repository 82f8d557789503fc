/* Multi-partition: solves along the three axes go cell by cell, and all ranks work all the time. Each cell
   waits for the one before it: bt ITERATIONS. */
#include "multipartition.h"

/* x with -x[i-1] + 4 x[i] - x[i+1] = sums[i] along every line of an axis: elimination up the cells,
   substitution down them. What one cell hands to the next are two numbers, and then one, per line. */
static void solve(int axis) {
  static double factors[kMostCells][kWhole * kWhole * kWhole];
  static double carried[2 * kWhole * kWhole];
  const int lines = side * side;
  MPI_Request request;
  for (int place = 0; place < q; ++place) {
    const int cell = cell_at(axis, place);
    if (place > 0) {
      MPI_Irecv(carried, 2 * lines, MPI_DOUBLE, next_of(axis, -1), 10 + axis, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      memset(carried, 0, sizeof carried);
    }
    for (int a = 0; a < side; ++a)
      for (int b = 0; b < side; ++b) {
        double* const last = carried + 2 * (a * side + b); /* the factor and the value before */
        for (int at = 0; at < side; ++at) {
          const int here = index_of(axis, at, a, b);
          const double pivot = 4 - last[0];
          factors[cell][here] = last[0] = 1 / pivot;
          sums[cell][here] = last[1] = (sums[cell][here] + last[1]) / pivot;
        }
      }
    if (place + 1 < q) {
      MPI_Isend(carried, 2 * lines, MPI_DOUBLE, next_of(axis, 1), 10 + axis, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  for (int place = q - 1; place >= 0; --place) {
    const int cell = cell_at(axis, place);
    if (place + 1 < q) {
      MPI_Irecv(carried, lines, MPI_DOUBLE, next_of(axis, 1), 20 + axis, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      memset(carried, 0, sizeof carried);
    }
    for (int a = 0; a < side; ++a)
      for (int b = 0; b < side; ++b)
        for (int at = side - 1; at >= 0; --at) {
          const int here = index_of(axis, at, a, b);
          sums[cell][here] += factors[cell][here] * carried[a * side + b];
          carried[a * side + b] = sums[cell][here];
        }
    if (place > 0) {
      MPI_Isend(carried, lines, MPI_DOUBLE, next_of(axis, -1), 20 + axis, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int iterations = number_of(argc, argv, 1, 5);
  int rank;
  int size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int points = set_up(rank, size);
  for (int step = 0; step < iterations; ++step) {
    copy_faces(MPI_COMM_WORLD);
    for (int axis = 0; axis < 3; ++axis) solve(axis);
    for (int cell = 0; cell < q; ++cell)
      for (int i = 0; i < points; ++i) values[cell][i] = (values[cell][i] + sums[cell][i]) / 2;
  }
  const double own = sum_of(points);
  double sum = 0;
  MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %.4f\n", sum);
  free(values);
  free(sums);
  MPI_Finalize();
  return 0;
}
