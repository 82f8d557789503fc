/* A cube of q x q x q cells on q x q ranks, q cells each, such that every layer of cells along every axis has
   one cell of each rank: what BT and SP have in common. */
#pragma once

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
static void copy_faces(MPI_Comm comm) {
  static double sent[6][kWhole * kWhole];
  static double received[6][kWhole * kWhole];
  MPI_Request requests[12];
  const int face = side * side;
  for (int to = 0; to < 6; ++to)
    MPI_Irecv(received[to], (q - 1) * face, MPI_DOUBLE, next_of(to / 2, to % 2 == 0 ? -1 : 1), to ^ 1, comm,
              &requests[to]);
  for (int to = 0; to < 6; ++to) {
    double* out = sent[to];
    for (int place = to % 2 == 0 ? 1 : 0; place < q - 1 + (to % 2 == 0 ? 1 : 0); ++place)
      for (int a = 0; a < side; ++a)
        for (int b = 0; b < side; ++b)
          *out++ = values[cell_at(to / 2, place)][index_of(to / 2, to % 2 == 0 ? 0 : side - 1, a, b)];
    MPI_Isend(sent[to], (q - 1) * face, MPI_DOUBLE, next_of(to / 2, to % 2 == 0 ? -1 : 1), to, comm,
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

/* The cells of this rank, with values that depend on where they are. */
static int set_up(int rank, int size) {
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
  return points;
}

static double sum_of(int points) {
  double own = 0;
  for (int cell = 0; cell < q; ++cell)
    for (int i = 0; i < points; ++i) own += values[cell][i];
  return own;
}
