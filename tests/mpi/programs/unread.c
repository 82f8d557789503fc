/* Arguments that MPI does not look at, and results that it does not set: where they have no meaning, programs
   may pass what they like. Here that is memory nobody may read. Four ranks: unread [CASE], or all cases. */
#define _DEFAULT_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

static int rank;
static char* guarded; /* a page behind which there is none */
static size_t page;
static void* forbidden; /* the page behind it */

static void make_guarded(void) {
  page = (size_t)sysconf(_SC_PAGESIZE);
  guarded = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(guarded != MAP_FAILED && mprotect(guarded + page, page, PROT_NONE) == 0);
  forbidden = guarded + page;
}

/* Counts, places and types are read at the root. */
static void at_the_root_only(void) {
  const int counts[4] = {1, 1, 1, 1};
  const int places[4] = {0, 1, 2, 3};
  int all[4] = {0};
  int own = -1;
  const int* const some_counts = rank == 2 ? counts : forbidden;
  const int* const some_places = rank == 2 ? places : forbidden;
  MPI_Gatherv(&rank, 1, MPI_INT, rank == 2 ? (void*)all : forbidden, some_counts, some_places, MPI_INT, 2,
              MPI_COMM_WORLD);
  MPI_Scatterv(rank == 2 ? (void*)all : forbidden, some_counts, some_places, MPI_INT, &own, 1, MPI_INT, 2,
               MPI_COMM_WORLD);
  CHECK(own == rank);
  MPI_Reduce(&rank, rank == 2 ? (void*)&own : forbidden, 1, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD);
  if (rank == 2) CHECK(own == 6);
}

/* Two groups of two; the root is rank 0 or 1 of the other group, which may be the caller's own rank in its
 * group. */
static MPI_Comm make_intercommunicator(MPI_Comm* half) {
  MPI_Comm inter;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, half);
  /* Only leaders say over which communicator they reach each other. */
  const MPI_Comm peers = rank % 2 == 0 ? MPI_COMM_WORLD : MPI_COMM_NULL;
  MPI_Intercomm_create(*half, 0, peers, rank < 2 ? 2 : 0, 9, &inter);
  return inter;
}

static void root_in_the_other_group(void) {
  MPI_Comm half;
  MPI_Comm inter = make_intercommunicator(&half);
  const int counts[2] = {1, 1};
  const int places[2] = {0, 1};
  int all[2] = {-1, -1};
  if (rank == 0)
    MPI_Gatherv(forbidden, 0, MPI_INT, all, counts, places, MPI_INT, MPI_ROOT, inter);
  else if (rank == 1)
    MPI_Gatherv(forbidden, 0, MPI_INT, forbidden, forbidden, forbidden, MPI_INT, MPI_PROC_NULL, inter);
  else
    MPI_Gatherv(&rank, 1, MPI_INT, forbidden, forbidden, forbidden, MPI_INT, 0, inter);
  if (rank == 0) CHECK(all[0] == 2 && all[1] == 3);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

static void peers_of_leaders_only(void) {
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
  MPI_Comm peers = MPI_COMM_WORLD;
  if (rank % 2 == 1) {
#ifdef OPEN_MPI
    memset(&peers, 0x5a, sizeof peers); /* never set */
#else
    peers = MPI_COMM_NULL; /* MPICH does look at it */
#endif
  }
  MPI_Intercomm_create(half, 0, peers, rank < 2 ? 2 : 0, 9, &inter);
  int size = 0;
  MPI_Comm_remote_size(inter, &size);
  CHECK(size == 2);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

static void in_place(void) {
  const int ones[4] = {1, 1, 1, 1};
  const int places[4] = {0, 1, 2, 3};
  const int bytes[4] = {0, 4, 8, 12};
  const MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
  int data[4] = {10 * rank, 10 * rank + 1, 10 * rank + 2, 10 * rank + 3};
  MPI_Alltoallv(MPI_IN_PLACE, forbidden, forbidden, MPI_DATATYPE_NULL, data, ones, places, MPI_INT,
                MPI_COMM_WORLD);
  CHECK(data[3] == 30 + rank);
  MPI_Alltoallw(MPI_IN_PLACE, forbidden, forbidden, forbidden, data, ones, bytes, types, MPI_COMM_WORLD);
  CHECK(data[3] == 10 * rank + 3);
}

static void none_of_them(void) {
  MPI_Group all, none;
  MPI_Datatype type;
  MPI_Waitall(0, forbidden, MPI_STATUSES_IGNORE);
  int flag = 0;
  MPI_Testall(0, forbidden, &flag, forbidden);
  CHECK(flag);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 0, forbidden, &none);
  MPI_Group_translate_ranks(all, 0, forbidden, none, forbidden);
  MPI_Group_free(&all);
  MPI_Type_indexed(0, forbidden, forbidden, MPI_INT, &type);
  MPI_Type_free(&type);
  MPI_Type_create_struct(0, forbidden, forbidden, forbidden, &type);
  MPI_Type_free(&type);
}

/* The value of a key that is not there is left as it is: at the end of the page, without a zero. */
static void no_value(void) {
  MPI_Info info;
  int flag = 1;
  char* const value = guarded + page - 16;
  memset(value, 'x', 16);
  MPI_Info_create(&info);
  MPI_Info_get(info, "nowhere", 15, value, &flag);
  CHECK(!flag);
  MPI_Info_free(&info);
}

/* Arrays with more room than there is content. */
static void more_room(void) {
  MPI_Datatype type;
  MPI_Datatype types[6];
  int integers[6];
  MPI_Aint addresses[6];
  for (int i = 0; i < 6; ++i) types[i] = MPI_DATATYPE_NULL; /* Open MPI looks at them */
#ifndef OPEN_MPI
  memset(types, 0x5a, sizeof types);
#endif
  memset(integers, 0x5a, sizeof integers);
  memset(addresses, 0x5a, sizeof addresses);
  MPI_Type_vector(3, 2, 5, MPI_INT, &type);
  MPI_Type_get_contents(type, 6, 6, 6, integers, addresses, types);
  CHECK(integers[2] == 5 && types[0] == MPI_INT);
  MPI_Type_free(&type);
}

/* What is made when nothing was found. */
static void nothing_found(void) {
  MPI_Message message;
  int flag = 1;
  memset(&message, 0x5a, sizeof message);
  MPI_Improbe(MPI_ANY_SOURCE, 12345, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
  CHECK(!flag);
}

/* A duplicate that comes later, of a communicator between two groups. */
static void later_duplicate(void) {
  MPI_Comm half, made;
  MPI_Request request;
  MPI_Comm inter = make_intercommunicator(&half);
  MPI_Comm_idup(inter, &made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int size = 0;
  MPI_Comm_remote_size(made, &size);
  CHECK(size == 2);
  MPI_Barrier(made);
  MPI_Comm_free(&made);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

static void (*const cases[])(void) = {
    at_the_root_only, root_in_the_other_group, peers_of_leaders_only, in_place, none_of_them, no_value,
    more_room,        nothing_found,           later_duplicate};
enum { kCases = sizeof cases / sizeof *cases };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  rank = rank_in(MPI_COMM_WORLD);
  CHECK(size_of(MPI_COMM_WORLD) == 4);
  make_guarded();
  const int only = number_of(argc, argv, 1, -1);
  for (int i = 0; i < kCases; ++i)
    if (only < 0 || only == i) cases[i]();
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
