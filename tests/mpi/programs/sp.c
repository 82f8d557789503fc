/* Multi-partition as SP does it: five diagonals, so that two rows go from cell to cell, a message is waited
   for together with the one sent before it, and faces and solves have communicators of their own: sp
   ITERATIONS. */
#include "multipartition.h"

static const double kNear = -1, kFar = -0.5, kHere = 8;

/* Waits for what was sent last and for what comes now. */
static void exchange(MPI_Request requests[2]) {
  MPI_Status statuses[2];
  MPI_Waitall(2, requests, statuses);
}

/* x with kFar x[i-2] + kNear x[i-1] + kHere x[i] + kNear x[i+1] + kFar x[i+2] = sums[i] along every line of
   an axis: a row becomes x[i] + near x[i+1] + far x[i+2] = sums[i], from below, and is solved from above. */
static void solve(int axis, MPI_Comm comm) {
  static double near[kMostCells][kWhole * kWhole * kWhole], far[kMostCells][kWhole * kWhole * kWhole];
  static double sent[6 * kWhole * kWhole], received[6 * kWhole * kWhole];
  const int lines = side * side;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  for (int place = 0; place < q; ++place) {
    const int cell = cell_at(axis, place);
    if (place > 0) {
      MPI_Irecv(received, 6 * lines, MPI_DOUBLE, next_of(axis, -1), 30 + axis, comm, &requests[0]);
      exchange(requests);
    } else {
      memset(received, 0, sizeof received);
    }
    for (int a = 0; a < side; ++a)
      for (int b = 0; b < side; ++b) {
        const double* const in = received + 6 * (a * side + b);
        double last[3] = {in[0], in[1], in[2]}, before[3] = {in[3], in[4], in[5]}; /* near, far, sum */
        for (int at = 0; at < side; ++at) {
          const int i = index_of(axis, at, a, b);
          const double below = kNear - kFar * before[0];
          const double pivot = kHere - kFar * before[1] - below * last[0];
          near[cell][i] = (kNear - below * last[1]) / pivot;
          far[cell][i] = kFar / pivot;
          sums[cell][i] = (sums[cell][i] - kFar * before[2] - below * last[2]) / pivot;
          memcpy(before, last, sizeof last);
          last[0] = near[cell][i], last[1] = far[cell][i], last[2] = sums[cell][i];
        }
        memcpy(sent + 6 * (a * side + b), last, sizeof last);
        memcpy(sent + 6 * (a * side + b) + 3, before, sizeof before);
      }
    if (place + 1 < q)
      MPI_Isend(sent, 6 * lines, MPI_DOUBLE, next_of(axis, 1), 30 + axis, comm, &requests[1]);
  }
  exchange(requests);
  for (int place = q - 1; place >= 0; --place) {
    const int cell = cell_at(axis, place);
    if (place + 1 < q) {
      MPI_Irecv(received, 2 * lines, MPI_DOUBLE, next_of(axis, 1), 40 + axis, comm, &requests[0]);
      exchange(requests);
    } else {
      memset(received, 0, sizeof received);
    }
    for (int a = 0; a < side; ++a)
      for (int b = 0; b < side; ++b) {
        double above = received[2 * (a * side + b)], beyond = received[2 * (a * side + b) + 1];
        for (int at = side - 1; at >= 0; --at) {
          const int i = index_of(axis, at, a, b);
          sums[cell][i] -= near[cell][i] * above + far[cell][i] * beyond;
          beyond = above;
          above = sums[cell][i];
        }
        sent[2 * (a * side + b)] = above;
        sent[2 * (a * side + b) + 1] = beyond;
      }
    if (place > 0) MPI_Isend(sent, 2 * lines, MPI_DOUBLE, next_of(axis, -1), 40 + axis, comm, &requests[1]);
  }
  exchange(requests);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int iterations = number_of(argc, argv, 1, 5);
  int rank, size;
  MPI_Comm setup, solves, faces;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &setup);
  MPI_Comm_size(setup, &size);
  MPI_Comm_dup(setup, &solves);
  MPI_Comm_dup(setup, &faces);
  MPI_Bcast(&iterations, 1, MPI_INT, 0, setup);
  const int points = set_up(rank, size);
  MPI_Barrier(setup);
  for (int step = 0; step < iterations; ++step) {
    copy_faces(faces);
    for (int axis = 0; axis < 3; ++axis) solve(axis, solves);
    for (int cell = 0; cell < q; ++cell)
      for (int i = 0; i < points; ++i) values[cell][i] = (values[cell][i] + sums[cell][i]) / 2;
  }
  const double own = sum_of(points);
  double sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, setup);
  if (rank == 0) printf("sum %.4f\n", sum);
  MPI_Comm_free(&solves);
  MPI_Comm_free(&faces);
  MPI_Comm_free(&setup);
  free(values);
  free(sums);
  MPI_Finalize();
  return 0;
}
