/* Five-point stencil on columns x rows ranks with edges: stencil2d COLUMNS ROWS ITERATIONS. */
#include "check.h"

enum { kSide = 16, kWidth = kSide + 2 };
enum { kWest, kEast, kNorth, kSouth, kDirections };

static double field[kWidth][kWidth];
static double next[kWidth][kWidth];

static void exchange(const int neighbour[kDirections], MPI_Datatype column) {
  double* const sent[] = {&field[1][1], &field[1][kSide], &field[1][1], &field[kSide][1]};
  double* const received[] = {&field[1][0], &field[1][kSide + 1], &field[0][1], &field[kSide + 1][1]};
  MPI_Request requests[2 * kDirections];
  for (int at = 0; at < kDirections; ++at) {
    const MPI_Datatype type = at < kNorth ? column : MPI_DOUBLE;
    const int count = at < kNorth ? 1 : kSide;
    MPI_Irecv(received[at], count, type, neighbour[at], at ^ 1, MPI_COMM_WORLD, &requests[at]);
    MPI_Isend(sent[at], count, type, neighbour[at], at, MPI_COMM_WORLD, &requests[kDirections + at]);
  }
  MPI_Waitall(2 * kDirections, requests, MPI_STATUSES_IGNORE);
}

static void relax(void) {
  for (int y = 1; y <= kSide; ++y)
    for (int x = 1; x <= kSide; ++x)
      next[y][x] = (field[y][x] + field[y - 1][x] + field[y + 1][x] + field[y][x - 1] + field[y][x + 1]) / 5;
  memcpy(field, next, sizeof field);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int columns = number_of(argc, argv, 1, 1);
  const int rows = number_of(argc, argv, 2, 1);
  const int iterations = number_of(argc, argv, 3, 10);
  int rank;
  int size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(columns * rows == size);

  const int column = rank % columns;
  const int row = rank / columns;
  const int neighbour[kDirections] = {
      column > 0 ? rank - 1 : MPI_PROC_NULL, column + 1 < columns ? rank + 1 : MPI_PROC_NULL,
      row > 0 ? rank - columns : MPI_PROC_NULL, row + 1 < rows ? rank + columns : MPI_PROC_NULL};
  for (int y = 1; y <= kSide; ++y)
    for (int x = 1; x <= kSide; ++x) field[y][x] = (column * kSide + x) + 0.5 * (row * kSide + y);

  MPI_Datatype strided;
  MPI_Type_vector(kSide, 1, kWidth, MPI_DOUBLE, &strided);
  MPI_Type_commit(&strided);
  for (int i = 0; i < iterations; ++i) {
    exchange(neighbour, strided);
    relax();
  }
  MPI_Type_free(&strided);

  double own = 0;
  for (int y = 1; y <= kSide; ++y)
    for (int x = 1; x <= kSide; ++x) own += field[y][x];
  double sum = 0;
  MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %.6f\n", sum);
  MPI_Finalize();
  return 0;
}
