/* Every function of MPI 3.1 that the tables of calls know, on two ranks, each at least once and most in more
   than one form. Not here: MPI_Abort (leaves.c) and processes that come later (worlds.c). */
#define _XOPEN_SOURCE 700
#include <time.h>

#include "check.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* every one, also those of MPI 1 */

static int rank;  /* of two */
static int other; /* the rank of the other one */

/* Between two questions whether something is over. */
static void rest(void) { nanosleep(&(struct timespec){0, 1000000}, NULL); }

#include "every_call_collectives.h"
#include "every_call_communicators.h"
#include "every_call_datatypes.h"
#include "every_call_files.h"
#include "every_call_messages.h"
#include "every_call_objects.h"
#include "every_call_windows.h"

/* What may be called before the start and after the end. */
static void ask_at_any_time(int is_started, int is_over) {
  int flag = -1;
  MPI_Initialized(&flag);
  CHECK(flag == is_started);
  MPI_Finalized(&flag);
  CHECK(flag == is_over);
  int version = 0;
  int subversion = -1;
  MPI_Get_version(&version, &subversion);
  CHECK(version >= 3 && subversion >= 0);
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  CHECK(length > 0 && text[0] != 0);
}

static void ask_about_this_process(void) {
  char name[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  MPI_Get_processor_name(name, &length);
  CHECK(length > 0 && (size_t)length == strlen(name));
  int provided = -1;
  int is_main = 0;
  MPI_Query_thread(&provided);
  MPI_Is_thread_main(&is_main);
  CHECK(provided >= MPI_THREAD_SINGLE && is_main);
  const double before = MPI_Wtime();
  CHECK(MPI_Wtick() > 0 && MPI_Wtime() >= before);
  MPI_Pcontrol(1);
  MPI_Pcontrol(2, 17L);
}

int main(int argc, char** argv) {
  /* Open MPI 4.1 dies in MPI_Compare_and_swap with the component it would choose on one machine. */
#ifdef OPEN_MPI
  setenv("OMPI_MCA_osc", "^rdma", 0);
#endif
  ask_at_any_time(0, 0);
  /* There are two ways of starting: with an argument, it is the one with threads. */
  if (argc > 1) {
    int provided = -1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    CHECK(provided >= MPI_THREAD_SINGLE);
  } else {
    MPI_Init(&argc, &argv);
  }
  CHECK(size_of(MPI_COMM_WORLD) == 2);
  rank = rank_in(MPI_COMM_WORLD);
  other = 1 - rank;
  ask_at_any_time(1, 0);
  ask_about_this_process();
  use_messages();
  use_collectives();
  use_communicators();
  use_datatypes();
  use_windows();
  use_objects();
  use_files();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    printf("done\n");
    fflush(stdout);
  }
  MPI_Finalize();
  ask_at_any_time(1, 1);
  return 0;
}
