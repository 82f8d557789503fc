/* Processes that come later: started by this program, which they are themselves, or met through a port, a
   name or a socket. Two ranks. Not every launcher can do all of it: worlds [spawn] [port] [name] [join], or
   all of them. */
#define _XOPEN_SOURCE 700
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"

static int rank;

/* What both sides do on the way between them: the parents are the lower group. */
static void talk(MPI_Comm between, int is_child) {
  int remote = 0;
  MPI_Comm_remote_size(between, &remote);
  MPI_Comm all;
  MPI_Intercomm_merge(between, is_child, &all);
  const int size = size_of(all);
  CHECK(size == size_of(between) + remote);
  int sum = 0;
  const int one = 1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
  CHECK(sum == size);
  int word = is_child ? 0 : 4711;
  MPI_Bcast(&word, 1, MPI_INT, is_child ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, between);
  CHECK(is_child || word == 4711);
  MPI_Comm_free(&all);
}

static int be_child(MPI_Comm parent, int argc, char** argv) {
  rank = rank_in(MPI_COMM_WORLD);
  CHECK(argc > 1 && strncmp(argv[1], "child", 5) == 0);
  talk(parent, 1);
  MPI_Comm_disconnect(&parent);
  MPI_Finalize();
  return 0;
}

static void start_children(char* program) {
  MPI_Comm children;
  int codes[3] = {-1, -1, -1};
  char* arguments[] = {"child", "alone", NULL};
  MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, codes);
  CHECK(codes[0] == MPI_SUCCESS);
  talk(children, 0);
  MPI_Comm_disconnect(&children);

  char* programs[] = {program, program};
  char* first[] = {"child of one", NULL};
  char* second[] = {"child of two", "more", NULL};
  char** each[] = {first, second};
  const int counts[] = {1, 2};
  const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
  MPI_Comm_spawn_multiple(2, programs, each, counts, infos, 0, MPI_COMM_WORLD, &children, codes);
  CHECK(codes[0] == MPI_SUCCESS && codes[2] == MPI_SUCCESS);
  int remote = 0;
  MPI_Comm_remote_size(children, &remote);
  CHECK(remote == 3);
  talk(children, 0);
  MPI_Comm_disconnect(&children);
}

/* Rank 0 lets rank 1 come to it. */
static void meet(int use_names) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm between;
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    if (use_names) MPI_Publish_name("weir-worlds", MPI_INFO_NULL, port);
    MPI_Send(port, sizeof port, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &between);
  } else {
    MPI_Recv(port, sizeof port, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (use_names) {
      char found[MPI_MAX_PORT_NAME] = "";
      MPI_Lookup_name("weir-worlds", MPI_INFO_NULL, found);
      CHECK(strcmp(found, port) == 0);
    }
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &between);
  }
  int received = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, 0, 2, &received, 1, MPI_INT, 0, 2, between, MPI_STATUS_IGNORE);
  CHECK(received == 1 - rank);
  MPI_Comm_disconnect(&between);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    if (use_names) MPI_Unpublish_name("weir-worlds", MPI_INFO_NULL, port);
    MPI_Close_port(port);
  }
}

/* The two ends of a connection, which rank 0 waits for. */
static int socket_between_ranks(void) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t length = sizeof address;
  const int end = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (rank == 0) {
    CHECK(bind(end, (struct sockaddr*)&address, length) == 0 && listen(end, 1) == 0);
    CHECK(getsockname(end, (struct sockaddr*)&address, &length) == 0);
    MPI_Send(&address.sin_port, 1, MPI_UINT16_T, 1, 3, MPI_COMM_WORLD);
    const int met = accept(end, NULL, NULL);
    CHECK(met >= 0 && close(end) == 0);
    return met;
  }
  MPI_Recv(&address.sin_port, 1, MPI_UINT16_T, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(connect(end, (struct sockaddr*)&address, length) == 0);
  return end;
}

static void join(void) {
  const int end = socket_between_ranks();
  MPI_Comm between;
  MPI_Comm_join(end, &between);
  int received = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, 0, 4, &received, 1, MPI_INT, 0, 4, between, MPI_STATUS_IGNORE);
  CHECK(received == 1 - rank);
  MPI_Comm_disconnect(&between);
  CHECK(close(end) == 0);
}

static int is_wanted(int argc, char** argv, const char* part) {
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], part) == 0) return 1;
  return argc == 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) return be_child(parent, argc, argv);
  rank = rank_in(MPI_COMM_WORLD);
  CHECK(size_of(MPI_COMM_WORLD) == 2);
  if (is_wanted(argc, argv, "spawn")) start_children(argv[0]);
  if (is_wanted(argc, argv, "port")) meet(0);
  if (is_wanted(argc, argv, "name")) meet(1);
  if (is_wanted(argc, argv, "join")) join();
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
