/* What the wrappers of told.py share: a line of JSON for each call, in told.PID.
   {"f": function, "a": {position: value}, "b": {position: value before the call}, "r": result} */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE* told_out;
static char told_line[1 << 16];
static size_t told_used;
static int told_starts; /* before that handles have no numbers in Fortran */
static int told_depth;  /* functions that MPI calls back make calls too, inside others */
static char* told_kept[64];
static int told_keeps;

static void told_constants(void);

#define TOLD(...) \
  (told_used += (size_t)snprintf(told_line + told_used, sizeof told_line - told_used, __VA_ARGS__))

static void told_constant(const char* kind, const char* name, long long value) {
  fprintf(told_out, "{\"kind\": \"%s\", \"name\": \"%s\", \"value\": %lld}\n", kind, name, value);
}

/* A function of MPI itself, past every recorder. */
static void* told_real(const char* name) {
  static void* library;
  if (library == NULL) library = dlopen(TOLD_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
  return dlsym(library, name);
}

static int told_ask(const char* question, MPI_Comm comm) {
  int answer = 0;
  ((int (*)(MPI_Comm, int*))told_real(question))(comm, &answer);
  return answer;
}

static int told_local(MPI_Comm comm) { return told_ask("PMPI_Comm_size", comm); }

static int told_size(MPI_Comm comm) {
  return told_ask(told_ask("PMPI_Comm_test_inter", comm) ? "PMPI_Comm_remote_size" : "PMPI_Comm_size", comm);
}

static int told_at_root(MPI_Comm comm, int root) {
  const int inter = told_ask("PMPI_Comm_test_inter", comm);
  return root == (inter ? MPI_ROOT : told_ask("PMPI_Comm_rank", comm)) ? told_size(comm) : 0;
}

static int told_dims(MPI_Comm comm) { return told_ask("PMPI_Cartdim_get", comm); }

/* How many send to this process, or it sends to. */
static int told_neighbours(MPI_Comm comm, int out) {
  int count[2] = {0, 0};
  int weighted = 0;
  switch (told_ask("PMPI_Topo_test", comm)) {
    case MPI_CART:
      return 2 * told_dims(comm);
    case MPI_GRAPH:
      ((int (*)(MPI_Comm, int, int*))told_real("PMPI_Graph_neighbors_count"))(
          comm, told_ask("PMPI_Comm_rank", comm), count);
      return count[0];
    default:
      ((int (*)(MPI_Comm, int*, int*, int*))told_real("PMPI_Dist_graph_neighbors_count"))(
          comm, &count[0], &count[1], &weighted);
      return count[out];
  }
}

static int told_sum(const int* values, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i];
  return sum;
}

static void told_begin(const char* function) {
  if (told_depth++ > 0) return;
  if (told_out == NULL) {
    char path[64];
    snprintf(path, sizeof path, "told.%d", (int)getpid());
    told_out = fopen(path, "w");
    if (told_out == NULL) abort();
  }
  told_used = 0;
  told_starts = strcmp(function, "MPI_Init") == 0 || strcmp(function, "MPI_Init_thread") == 0;
  TOLD("{\"f\": \"%s\", \"a\": {\"\": 0", function);
}

static void told_called(void) {}

static void told_returned(long long result) {
  if (told_depth == 1) TOLD(", \"r\": %lld", result);
}

static void told_end(void) {
  if (told_depth-- > 1) return;
  TOLD("}}\n");
  if (told_used >= sizeof told_line) abort();
  fputs(told_line, told_out);
  if (told_starts) told_constants();
  fflush(told_out);
  while (told_keeps > 0) free(told_kept[--told_keeps]);
}

/* What stands there before the call; none where an address is no such thing. */
static void* told_keep(const void* from, int count, size_t size) {
  if (told_depth > 1) return NULL;
  char* const made = calloc((size_t)(count > 0 ? count : 1), size);
  if (from != NULL && count > 0) memcpy(made, from, (size_t)count * size);
  told_kept[told_keeps++] = made;
  return made;
}

static long long told_value(size_t size, const void* from, int at) {
  if (size == 4) return ((const int32_t*)from)[at];
  return ((const int64_t*)from)[at];
}

static int told_is_data(const void* from) {
  return from != NULL && from != (const void*)MPI_UNWEIGHTED && from != (const void*)MPI_WEIGHTS_EMPTY;
}

static void told_number(int position, long long value) {
  if (told_depth == 1) TOLD(", \"%d\": %lld", position, value);
}

static void told_handle(int position, long long value) { told_number(position, value); }

static void told_list(const char* prefix, int position, size_t size, const void* from, int count, int shift) {
  if (told_depth > 1) return;
  if (!told_is_data(from)) {
    TOLD(", \"%s%d\": null", prefix, position);
    return;
  }
  if (count == -1) {
    const long long value = told_value(size, from, 0);
    TOLD(", \"%s%d\": %lld", prefix, position, value == MPI_UNDEFINED ? value : value - shift);
    return;
  }
  TOLD(", \"%s%d\": [", prefix, position);
  for (int i = 0; i < count; ++i) TOLD("%s%lld", i > 0 ? ", " : "", told_value(size, from, i) - shift);
  TOLD("]");
}

static void told_numbers(int position, size_t size, const void* from, int count, int shift) {
  told_list("", position, size, from, count, shift);
}

static void told_before(int position, size_t size, const void* from, int count) {
  told_list("b", position, size, from, count, 0);
}

/* Where they stand, what stood there before and what stands there now. */
static void told_handles(int position, size_t size, const void* before, const void* now, int count) {
  if (told_depth > 1) return;
  if (now == NULL) count = 0;
  const int many = count < 0 ? 1 : count;
  TOLD(", \"h%d\": [", position);
  for (int i = 0; i < many; ++i)
    TOLD("%s[%lld, %lld, %lld]", i > 0 ? ", " : "",
         (long long)(intptr_t)((const char*)now + (size_t)i * size), told_value(size, before, i),
         told_value(size, now, i));
  TOLD("]");
}

static void told_text(int position, const char* text, size_t length) {
  if (told_depth > 1) return;
#if TOLD_FORTRAN
  while (length > 0 && text[length - 1] == ' ') --length;
  while (length > 0 && text[0] == ' ') ++text, --length;
#endif
  TOLD(", \"%d\": \"", position);
  if (length > 4096) length = 4096;
  for (size_t i = 0; i < length; ++i)
    TOLD(text[i] == '"' || text[i] == '\\' || text[i] < ' ' ? "\\u%04x" : "%c", (unsigned char)text[i]);
  TOLD("\"");
}

static void told_buffer(int position, const void* buffer) {
#if !TOLD_FORTRAN
  if (told_depth > 1) return;
  if (buffer == NULL || buffer == MPI_IN_PLACE)
    TOLD(", \"%d\": %s", position, buffer == MPI_IN_PLACE ? "\"MPI_IN_PLACE\"" : "null");
#endif
}

#if TOLD_FORTRAN
#ifdef OPEN_MPI
extern char mpi_fortran_status_ignore_[] __attribute__((weak));
extern char mpi_fortran_statuses_ignore_[] __attribute__((weak));
#define TOLD_IGNORED mpi_fortran_status_ignore_, mpi_fortran_statuses_ignore_
#else
#define TOLD_IGNORED &MPIR_F08_MPI_STATUS_IGNORE_OBJ, MPIR_F08_MPI_STATUSES_IGNORE_OBJ
#endif

static int told_is_ignored(const void* status) {
  const void* const ignored[] = {NULL, MPI_F_STATUS_IGNORE, MPI_F_STATUSES_IGNORE, TOLD_IGNORED};
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; ++i)
    if (status == ignored[i]) return 1;
  return 0;
}
#endif

/* [source, tag] of each, or null where the program did not want to know. */
static void told_statuses(int position, const void* statuses, int count) {
  if (told_depth > 1) return;
#if TOLD_FORTRAN
  const int ignored = told_is_ignored(statuses);
#else
  const int ignored = statuses == MPI_STATUS_IGNORE || statuses == MPI_STATUSES_IGNORE;
#endif
  if (ignored) {
    TOLD(", \"s%d\": null", position);
    return;
  }
  TOLD(", \"s%d\": [", position);
  for (int i = 0; i < (count == -1 ? 1 : count); ++i) {
    MPI_Status status;
#if TOLD_FORTRAN
    PMPI_Status_f2c((const MPI_Fint*)statuses + (size_t)i * (sizeof status / sizeof(MPI_Fint)), &status);
#else
    status = ((const MPI_Status*)statuses)[i];
#endif
    TOLD("%s[%d, %d]", i > 0 ? ", " : "", status.MPI_SOURCE, status.MPI_TAG);
  }
  TOLD("]");
}
