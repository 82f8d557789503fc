/* Multi-partition: a cube of q x q x q cells on q x q ranks, q cells each, such that every layer of cells
   along every axis has one cell of each rank. Solves along the three axes go cell by cell, and all ranks work
   all the time: bt ITERATIONS. */
#include "check.h"

enum { kWhole = 24, kMostCells = 12 };

static int q, side; /* cells along an axis, points along a cell */
static int row, column;
static double (*values)[kWhole * kWhole * kWhole]; /* of each own cell, [z][y][x] with `side` points each */
static double (*sums)[kWhole * kWhole * kWhole];   /* over the neighbours of each point */

static int rank_at(int a, int b) { return (b + 2 * q) % q * q + (a + 2 * q) % q; }

/* Cell c of rank (column, row) is at ((column + c) % q, (row - c) % q, c). */
static int place_of(int cell, int axis) {
  return axis == 0 ? (column + cell) % q : axis == 1 ? (row - cell + q) % q : cell;
}

static int cell_at(int axis, int place) {
  for (int cell = 0; cell < q; ++cell)
    if (place_of(cell, axis) == place) return cell;
  return -1;
}

/* The rank that has the next cell along an axis; for all cells it is the same. */
static int next_of(int axis, int step) {
  return axis == 0   ? rank_at(column + step, row)
         : axis == 1 ? rank_at(column, row + step)
                     : rank_at(column - step, row + step);
}

static int index_of(int axis, int at, int a, int b) {
  return axis == 0   ? (a * side + b) * side + at
         : axis == 1 ? (a * side + at) * side + b
                     : (at * side + a) * side + b;
}

/* The faces of all cells go to the six neighbours; there are none beyond the cube. */
static void copy_faces(void) {
  static double sent[6][kWhole * kWhole];
  static double received[6][kWhole * kWhole];
  MPI_Request requests[12];
  const int face = side * side;
  for (int to = 0; to < 6; ++to)
    MPI_Irecv(received[to], (q - 1) * face, MPI_DOUBLE, next_of(to / 2, to % 2 == 0 ? -1 : 1), to ^ 1,
              MPI_COMM_WORLD, &requests[to]);
  for (int to = 0; to < 6; ++to) {
    double* out = sent[to];
    for (int place = to % 2 == 0 ? 1 : 0; place < q - 1 + (to % 2 == 0 ? 1 : 0); ++place)
      for (int a = 0; a < side; ++a)
        for (int b = 0; b < side; ++b)
          *out++ = values[cell_at(to / 2, place)][index_of(to / 2, to % 2 == 0 ? 0 : side - 1, a, b)];
    MPI_Isend(sent[to], (q - 1) * face, MPI_DOUBLE, next_of(to / 2, to % 2 == 0 ? -1 : 1), to, MPI_COMM_WORLD,
              &requests[6 + to]);
  }
  MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
  for (int cell = 0; cell < q; ++cell)
    for (int axis = 0; axis < 3; ++axis) {
      const int place = place_of(cell, axis);
      for (int a = 0; a < side; ++a)
        for (int b = 0; b < side; ++b)
          for (int at = 0; at < side; ++at) {
            const double below = at > 0      ? values[cell][index_of(axis, at - 1, a, b)]
                                 : place > 0 ? received[2 * axis][((place - 1) * side + a) * side + b]
                                             : 0;
            const double above = at + 1 < side   ? values[cell][index_of(axis, at + 1, a, b)]
                                 : place + 1 < q ? received[2 * axis + 1][(place * side + a) * side + b]
                                                 : 0;
            double* const sum = &sums[cell][index_of(axis, at, a, b)];
            *sum = (axis == 0 ? 0 : *sum) + below + above;
          }
    }
}

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
  for (q = 1; q * q < size;) ++q;
  CHECK(q * q == size && q <= kMostCells && kWhole % q == 0);
  side = kWhole / q;
  row = rank / q;
  column = rank % q;
  values = calloc((size_t)q, sizeof *values);
  sums = calloc((size_t)q, sizeof *sums);
  const int points = side * side * side;
  for (int cell = 0; cell < q; ++cell)
    for (int i = 0; i < points; ++i) {
      const int x = place_of(cell, 0) * side + i % side;
      const int y = place_of(cell, 1) * side + i / side % side;
      const int z = place_of(cell, 2) * side + i / side / side;
      values[cell][i] = (x + 2 * y + 3 * z) % 13;
    }
  for (int step = 0; step < iterations; ++step) {
    copy_faces();
    for (int axis = 0; axis < 3; ++axis) solve(axis);
    for (int cell = 0; cell < q; ++cell)
      for (int i = 0; i < points; ++i) values[cell][i] = (values[cell][i] + sums[cell][i]) / 2;
  }
  double own = 0;
  double sum = 0;
  for (int cell = 0; cell < q; ++cell)
    for (int i = 0; i < points; ++i) own += values[cell][i];
  MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %.4f\n", sum);
  free(values);
  free(sums);
  MPI_Finalize();
  return 0;
}
