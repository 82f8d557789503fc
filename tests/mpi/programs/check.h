/* What every program here needs: a check that stops all ranks, and its arguments as numbers. */
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MPI_STATUSES_IGNORE and MPI_UNWEIGHTED are no addresses of data, which some compilers take for a mistake.
 */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif

#define CHECK(condition) ((condition) ? (void)0 : stop(#condition, __FILE__, __LINE__))

static inline void stop(const char* what, const char* file, int line) {
  fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
  abort();
}

/* Argument `at`, or what to take when it is not given. */
static inline int number_of(int argc, char** argv, int at, int otherwise) {
  return argc > at ? atoi(argv[at]) : otherwise;
}

static inline int rank_in(MPI_Comm comm) {
  int rank = -1;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

static inline int size_of(MPI_Comm comm) {
  int size = -1;
  MPI_Comm_size(comm, &size);
  return size;
}
