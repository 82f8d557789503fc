/* Wavefronts over a plane of ranks: each layer is computed when the ranks to the north and west have sent
   theirs, and the upper sweep goes the other way; layers follow each other like in a pipeline: lu ITERATIONS.
 */
#include <math.h>

#include "check.h"

enum { kSide = 8, kLayers = 12, kWidth = kSide + 2 };
enum { kNorth, kSouth, kWest, kEast };

static int neighbour[4];
static double field[kLayers][kWidth][kWidth];

static void pack(int layer, int side, double* line) {
  for (int i = 1; i <= kSide; ++i)
    line[i - 1] = side < kWest ? field[layer][side == kNorth ? 1 : kSide][i]
                               : field[layer][i][side == kWest ? 1 : kSide];
}

static void unpack(int layer, int side, const double* line) {
  for (int i = 1; i <= kSide; ++i)
    *(side < kWest ? &field[layer][side == kNorth ? 0 : kSide + 1][i]
                   : &field[layer][i][side == kWest ? 0 : kSide + 1]) = line[i - 1];
}

static void take(int layer, int side) {
  double line[kSide];
  if (neighbour[side] == MPI_PROC_NULL) return;
  MPI_Recv(line, kSide, MPI_DOUBLE, neighbour[side], side ^ 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  unpack(layer, side, line);
}

static void give(int layer, int side) {
  double line[kSide];
  if (neighbour[side] == MPI_PROC_NULL) return;
  pack(layer, side, line);
  MPI_Send(line, kSide, MPI_DOUBLE, neighbour[side], side, MPI_COMM_WORLD);
}

static void sweep_down(void) {
  for (int layer = 1; layer < kLayers; ++layer) {
    take(layer, kNorth);
    take(layer, kWest);
    for (int y = 1; y <= kSide; ++y)
      for (int x = 1; x <= kSide; ++x)
        field[layer][y][x] += 0.2 * (field[layer][y - 1][x] + field[layer][y][x - 1] +
                                     field[layer - 1][y][x] - 3 * field[layer][y][x]);
    give(layer, kSouth);
    give(layer, kEast);
  }
}

static void sweep_up(void) {
  for (int layer = kLayers - 2; layer >= 0; --layer) {
    take(layer, kSouth);
    take(layer, kEast);
    for (int y = kSide; y >= 1; --y)
      for (int x = kSide; x >= 1; --x)
        field[layer][y][x] += 0.2 * (field[layer][y + 1][x] + field[layer][y][x + 1] +
                                     field[layer + 1][y][x] - 3 * field[layer][y][x]);
    give(layer, kNorth);
    give(layer, kWest);
  }
}

/* All layers at once in both directions of an axis; who sends is known by the tag alone. */
static void exchange_edges(void) {
  static double sent[2][kLayers * kSide];
  static double received[2][kLayers * kSide];
  for (int first = kNorth; first <= kWest; first += 2) {
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    for (int end = 0; end < 2; ++end)
      if (neighbour[first + end] != MPI_PROC_NULL)
        MPI_Irecv(received[end], kLayers * kSide, MPI_DOUBLE, MPI_ANY_SOURCE, 20 + ((first + end) ^ 1),
                  MPI_COMM_WORLD, &requests[end]);
    for (int end = 0; end < 2; ++end) {
      if (neighbour[first + end] == MPI_PROC_NULL) continue;
      for (int layer = 0; layer < kLayers; ++layer) pack(layer, first + end, sent[end] + layer * kSide);
      MPI_Send(sent[end], kLayers * kSide, MPI_DOUBLE, neighbour[first + end], 20 + first + end,
               MPI_COMM_WORLD);
    }
    for (int end = 0; end < 2; ++end) {
      MPI_Status status;
      if (neighbour[first + end] == MPI_PROC_NULL) continue;
      MPI_Wait(&requests[end], &status);
      CHECK(status.MPI_SOURCE == neighbour[first + end]);
      for (int layer = 0; layer < kLayers; ++layer) unpack(layer, first + end, received[end] + layer * kSide);
    }
  }
}

static double norm(void) {
  double own = 0;
  double sum = 0;
  for (int layer = 0; layer < kLayers; ++layer)
    for (int y = 1; y <= kSide; ++y)
      for (int x = 1; x <= kSide; ++x) own += field[layer][y][x] * field[layer][y][x];
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sqrt(sum);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int iterations = number_of(argc, argv, 1, 10);
  int rank;
  int size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int dims[2] = {0, 0};
  MPI_Dims_create(size, 2, dims);
  const int rows = dims[0];
  const int columns = dims[1];
  const int row = rank / columns;
  const int column = rank % columns;
  neighbour[kNorth] = row > 0 ? rank - columns : MPI_PROC_NULL;
  neighbour[kSouth] = row + 1 < rows ? rank + columns : MPI_PROC_NULL;
  neighbour[kWest] = column > 0 ? rank - 1 : MPI_PROC_NULL;
  neighbour[kEast] = column + 1 < columns ? rank + 1 : MPI_PROC_NULL;
  for (int layer = 0; layer < kLayers; ++layer)
    for (int y = 1; y <= kSide; ++y)
      for (int x = 1; x <= kSide; ++x)
        field[layer][y][x] = (row * kSide + y) % 7 + (column * kSide + x) % 5 + layer % 3;

  const double before = norm();
  double after = before;
  for (int i = 0; i < iterations; ++i) {
    exchange_edges();
    sweep_down();
    sweep_up();
    if (i % 5 == 4 || i + 1 == iterations) after = norm();
  }
  CHECK(after <= before);
  if (rank == 0) printf("norm %.6f\n", after);
  MPI_Finalize();
  return 0;
}
