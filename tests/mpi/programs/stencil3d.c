/* Seven-point stencil on a torus of nx x ny x nz ranks: stencil3d NX NY NZ ITERATIONS. The sum stays as it
 * is. */
#include "check.h"

enum { kSide = 8, kWidth = kSide + 2, kDirections = 6 };

static double field[kWidth][kWidth][kWidth];
static double next[kWidth][kWidth][kWidth];

/* The layer of points `at` along an axis: 0 is x, the fastest one. */
static double* point_of(int axis, int at, int a, int b) {
  switch (axis) {
    case 0:
      return &field[a][b][at];
    case 1:
      return &field[a][at][b];
    default:
      return &field[at][a][b];
  }
}

static void pack(int axis, int at, double* face) {
  for (int a = 1; a <= kSide; ++a)
    for (int b = 1; b <= kSide; ++b) *face++ = *point_of(axis, at, a, b);
}

static void unpack(int axis, int at, const double* face) {
  for (int a = 1; a <= kSide; ++a)
    for (int b = 1; b <= kSide; ++b) *point_of(axis, at, a, b) = *face++;
}

/* Directions come in pairs: down and up an axis. */
static void exchange(const int neighbour[kDirections]) {
  static double sent[kDirections][kSide * kSide];
  static double received[kDirections][kSide * kSide];
  MPI_Request requests[2 * kDirections];
  for (int at = 0; at < kDirections; ++at)
    MPI_Irecv(received[at], kSide * kSide, MPI_DOUBLE, neighbour[at], at ^ 1, MPI_COMM_WORLD, &requests[at]);
  for (int at = 0; at < kDirections; ++at) {
    pack(at / 2, at % 2 == 0 ? 1 : kSide, sent[at]);
    MPI_Isend(sent[at], kSide * kSide, MPI_DOUBLE, neighbour[at], at, MPI_COMM_WORLD,
              &requests[kDirections + at]);
  }
  MPI_Waitall(2 * kDirections, requests, MPI_STATUSES_IGNORE);
  for (int at = 0; at < kDirections; ++at) unpack(at / 2, at % 2 == 0 ? 0 : kSide + 1, received[at]);
}

static void relax(void) {
  for (int z = 1; z <= kSide; ++z)
    for (int y = 1; y <= kSide; ++y)
      for (int x = 1; x <= kSide; ++x)
        next[z][y][x] = field[z][y][x] / 4 + (field[z][y][x - 1] + field[z][y][x + 1] + field[z][y - 1][x] +
                                              field[z][y + 1][x] + field[z - 1][y][x] + field[z + 1][y][x]) /
                                                 8;
  memcpy(field, next, sizeof field);
}

static double sum_of_all(void) {
  double own = 0;
  for (int z = 1; z <= kSide; ++z)
    for (int y = 1; y <= kSide; ++y)
      for (int x = 1; x <= kSide; ++x) own += field[z][y][x];
  double sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int extent[3] = {number_of(argc, argv, 1, 1), number_of(argc, argv, 2, 1),
                         number_of(argc, argv, 3, 1)};
  const int iterations = number_of(argc, argv, 4, 10);
  int rank;
  int size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(extent[0] * extent[1] * extent[2] == size);

  int neighbour[kDirections];
  for (int axis = 0, stride = 1; axis < 3; stride *= extent[axis], ++axis) {
    const int here = rank / stride % extent[axis];
    const int first = rank - here * stride;
    neighbour[2 * axis] = first + (here + extent[axis] - 1) % extent[axis] * stride;
    neighbour[2 * axis + 1] = first + (here + 1) % extent[axis] * stride;
  }
  for (int z = 1; z <= kSide; ++z)
    for (int y = 1; y <= kSide; ++y)
      for (int x = 1; x <= kSide; ++x) field[z][y][x] = rank + x * y * z;

  const double before = sum_of_all();
  for (int i = 0; i < iterations; ++i) {
    exchange(neighbour);
    relax();
  }
  const double after = sum_of_all();
  CHECK(after - before < 1e-6 * before && before - after < 1e-6 * before);
  if (rank == 0) printf("sum %.3f\n", after);
  MPI_Finalize();
  return 0;
}
