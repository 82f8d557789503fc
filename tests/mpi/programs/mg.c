/* V-cycles on a torus of ranks: on every level, axis after axis, the faces of a block go to the two
   neighbours, the coarser the level the smaller: mg ITERATIONS. */
#include <math.h>

#include "check.h"

enum { kLevels = 4, kFinest = 16, kMost = kFinest + 2 };

typedef double Block[kMost][kMost][kMost];

static int neighbour[3][2];
static Block solution[kLevels], source[kLevels], rest[kLevels];

static int side_of(int level) { return kFinest >> level; }

static double* point_of(Block block, int axis, int at, int a, int b) {
  return axis == 0 ? &block[a][b][at] : axis == 1 ? &block[a][at][b] : &block[at][a][b];
}

/* Edges of the faces go along, as they have come from the axes before. */
static void exchange(Block block, int level) {
  static double sent[2][kMost * kMost];
  static double received[2][kMost * kMost];
  const int side = side_of(level);
  const int count = (side + 2) * (side + 2);
  for (int axis = 0; axis < 3; ++axis) {
    MPI_Request requests[2];
    for (int end = 0; end < 2; ++end)
      MPI_Irecv(received[end], count, MPI_DOUBLE, neighbour[axis][end], 10 * level + 2 * axis + 1 - end,
                MPI_COMM_WORLD, &requests[end]);
    for (int end = 0; end < 2; ++end) {
      double* face = sent[end];
      for (int a = 0; a < side + 2; ++a)
        for (int b = 0; b < side + 2; ++b) *face++ = *point_of(block, axis, end == 0 ? 1 : side, a, b);
      MPI_Send(sent[end], count, MPI_DOUBLE, neighbour[axis][end], 10 * level + 2 * axis + end,
               MPI_COMM_WORLD);
    }
    for (int end = 0; end < 2; ++end) {
      const double* face = received[end];
      MPI_Wait(&requests[end], MPI_STATUS_IGNORE);
      for (int a = 0; a < side + 2; ++a)
        for (int b = 0; b < side + 2; ++b) *point_of(block, axis, end == 0 ? 0 : side + 1, a, b) = *face++;
    }
  }
}

static double around(Block block, int z, int y, int x) {
  return block[z - 1][y][x] + block[z + 1][y][x] + block[z][y - 1][x] + block[z][y + 1][x] +
         block[z][y][x - 1] + block[z][y][x + 1];
}

#define FOR_EACH_POINT(side)          \
  for (int z = 1; z <= (side); ++z)   \
    for (int y = 1; y <= (side); ++y) \
      for (int x = 1; x <= (side); ++x)

static void find_rest(int level) {
  exchange(solution[level], level);
  FOR_EACH_POINT(side_of(level))
  rest[level][z][y][x] =
      source[level][z][y][x] - 6 * solution[level][z][y][x] + around(solution[level], z, y, x);
  exchange(rest[level], level);
}

static void smooth(int level) {
  find_rest(level);
  FOR_EACH_POINT(side_of(level)) solution[level][z][y][x] += rest[level][z][y][x] * 0.8 / 6;
}

static void go_down(int level) {
  find_rest(level);
  FOR_EACH_POINT(side_of(level + 1)) {
    double sum = 0;
    for (int part = 0; part < 8; ++part)
      sum += rest[level][2 * z - (part & 1)][2 * y - (part >> 1 & 1)][2 * x - (part >> 2)];
    source[level + 1][z][y][x] = sum / 2; /* a mean of eight, four times over: the distance has doubled */
  }
  memset(solution[level + 1], 0, sizeof solution[level + 1]);
}

static void go_up(int level) {
  FOR_EACH_POINT(side_of(level))
  solution[level][z][y][x] += solution[level + 1][(z + 1) / 2][(y + 1) / 2][(x + 1) / 2];
}

static double norm_of_rest(void) {
  double own = 0;
  double sum = 0;
  find_rest(0);
  FOR_EACH_POINT(kFinest) own += rest[0][z][y][x] * rest[0][z][y][x];
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sqrt(sum);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int iterations = number_of(argc, argv, 1, 4);
  int rank;
  int size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int dims[3] = {0, 0, 0};
  MPI_Dims_create(size, 3, dims);
  for (int axis = 0, stride = 1; axis < 3; stride *= dims[axis], ++axis) {
    const int here = rank / stride % dims[axis];
    const int first = rank - here * stride;
    neighbour[axis][0] = first + (here + dims[axis] - 1) % dims[axis] * stride;
    neighbour[axis][1] = first + (here + 1) % dims[axis] * stride;
  }
  /* One source and one sink in every block: on a torus they have to be equal. */
  source[0][3][4][5] = 1 + rank % 3;
  source[0][11][9][13] = -source[0][3][4][5];

  const double before = norm_of_rest();
  for (int i = 0; i < iterations; ++i) {
    for (int level = 0; level + 1 < kLevels; ++level) {
      smooth(level);
      go_down(level);
    }
    for (int round = 0; round < 4; ++round) smooth(kLevels - 1);
    for (int level = kLevels - 2; level >= 0; --level) {
      go_up(level);
      smooth(level);
      smooth(level);
    }
  }
  const double after = norm_of_rest();
  if (iterations > 0) CHECK(after < before / 2);
  if (rank == 0) printf("norm %.6e\n", after);
  MPI_Finalize();
  return 0;
}
